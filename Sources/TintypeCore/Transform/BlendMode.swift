/// How a picture or colour is put on another: the modes of W3C Compositing and Blending Level 1, numbered like those of
/// Core Graphics, which the original system names.
public enum BlendMode: Int, CaseIterable, Hashable, Sendable {
    case normal
    case multiply
    case screen
    case overlay
    case darken
    case lighten
    case colorDodge
    case colorBurn
    case softLight
    case hardLight
    case difference
    case exclusion
    case hue
    case saturation
    case color
    case luminosity
    case clear
    case copy
    case sourceIn
    case sourceOut
    case sourceAtop
    case destinationOver
    case destinationIn
    case destinationOut
    case destinationAtop
    case xor
    case plusDarker
    case plusLighter

    /// The name as in the source, for identifiers and the command.
    public var name: String { String(describing: self) }
}
