extension Duration {
    /// As dates and durations of frames have it.
    package var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
