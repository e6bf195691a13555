import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeTerminal

/// Sessions on a pseudoterminal.
@Suite(.timeLimited) struct TerminalSessionTests {
    private func capabilities(_ graphics: GraphicsProtocol = .blocks) -> TerminalCapabilities {
        var capabilities = TerminalCapabilities(
            size: TerminalSize(columns: 80, rows: 24, cell: PixelSize(width: 10, height: 20)), colors: .trueColor)
        capabilities.protocols = [graphics]
        return capabilities
    }

    /// Reads what the session writes until it ends with a text.
    private func read(_ terminal: PseudoTerminal, until end: String) -> String {
        var bytes: [UInt8] = []
        while !String(decoding: bytes, as: UTF8.self).contains(end) {
            terminal.waitForOutput()
            bytes += terminal.written()
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func content(_ level: UInt8) throws -> RegionContent {
        let layout = CellLayout(
            PixelSize(width: 4, height: 4), within: CellSpan(columns: 4, rows: 2),
            cell: PixelSize(width: 10, height: 20),
            symbols: .halfBlocks)
        return .image(try .filled(Pixel(red: level, green: 0, blue: 0), size: layout.pixels), layout)
    }

    @Test func theNewestFrameIsWrittenWhenTheFormerOneIsAnswered() throws {
        let terminal = try PseudoTerminal()
        // With a clock that stands still, no answer is ever late.
        let session = try TerminalSession(
            capabilities(), screen: .alternate, device: terminal.device, time: ManualClock().timeSource)
        let region = session.makeRegion(CellRect(column: 0, row: 0, columns: 4, rows: 2))
        region.show(try content(1))
        let first = read(terminal, until: "\u{1B}[5n")
        #expect(first.contains("48;2;1;0;0") && first.hasPrefix("\u{1B}[?1049h"))
        // The terminal is busy; only the last of these is shown.
        for level in UInt8(2)...9 { region.show(try content(level), .animation) }
        terminal.send("\u{1B}[0n")
        let second = read(terminal, until: "\u{1B}[5n")
        #expect(second.contains("48;2;9;0;0") && !second.contains("48;2;2;0;0"))
        session.end()
    }

    @Test(arguments: [TerminalScreen.main, .alternate])
    func theTerminalIsRestored(_ screen: TerminalScreen) throws {
        let terminal = try PseudoTerminal()
        let modes = terminal.modes
        do {
            let session = try TerminalSession(capabilities(.kitty), screen: screen, device: terminal.device)
            #expect(terminal.modes != modes)
            _ = read(terminal, until: "\u{1B}[?25l")
            // Answers that come too late, and keys.
            terminal.send("\u{1B}[0nabc")
            withExtendedLifetime(session) {}
        }
        #expect(terminal.modes == modes && terminal.unreadCount == 0)
        let end = read(terminal, until: "\u{1B}[?25h")
        #expect(end.contains("\u{1B}[?1049l") == (screen == .alternate))
        #expect(end.contains("a=d,d=A") == (screen == .alternate))
        #expect(end.contains("\u{1B}[0m"))
    }

    /// Below images among the text of a shell, also if the process ends without notice.
    @Test func theCursorRestsBetweenFrames() throws {
        let terminal = try PseudoTerminal()
        let session = try TerminalSession(capabilities(), screen: .main, restingRow: 8, device: terminal.device)
        let region = session.makeRegion(CellRect(column: 0, row: 0, columns: 4, rows: 2))
        region.show(try content(1))
        #expect(read(terminal, until: "\u{1B}[5n").hasSuffix("\u{1B}[9;1H\u{1B}[5n"))
        let restoration = String(decoding: session.restoration.bytes, as: UTF8.self)
        #expect(restoration.contains("\u{1B}\\") && restoration.hasSuffix("\u{1B}[9;1H\u{1B}[?25h"))
        session.end()
        #expect(!read(terminal, until: "\u{1B}[?25h").contains("H"))
    }

    @Test func keysArriveBetweenAnswers() async throws {
        let terminal = try PseudoTerminal()
        let keys = Shared<[TerminalKey]>([])
        let session = try TerminalSession(capabilities(), screen: .main, device: terminal.device) { key in
            keys.withLock { $0.append(key) }
        }
        terminal.send("a\u{1B}[0n\u{1B}[A")
        await keys.wait { $0.count >= 2 }
        #expect(keys.now == [.character("a"), .up])
        session.end()
    }

    @Test func aNewSizeClearsTheScreen() throws {
        let terminal = try PseudoTerminal()
        let session = try TerminalSession(capabilities(), screen: .alternate, device: terminal.device)
        _ = read(terminal, until: "\u{1B}[?25l")
        #expect(session.resize().columns == 80)
        _ = read(terminal, until: "\u{1B}[2J")
        session.end()
    }

    /// A terminal that takes no bytes must not keep the program from ending.
    @Test func aStoppedTerminalIsGivenUp() throws {
        let terminal = try PseudoTerminal()
        let modes = terminal.modes
        let session = try TerminalSession(capabilities(.kitty), screen: .alternate, device: terminal.device)
        let region = session.makeRegion(CellRect(column: 0, row: 0, columns: 80, rows: 24))
        let layout = CellLayout(
            PixelSize(width: 400, height: 400), within: CellSpan(columns: 80, rows: 24),
            cell: PixelSize(width: 10, height: 20),
            symbols: nil)
        // Far more than the pseudoterminal holds, and nobody reads.
        region.show(.image(try TestImages.photo(400, 400), layout))
        session.end()
        #expect(terminal.modes == modes)
    }

    /// A program that is stopped gives the terminal back, and takes it again when it continues.
    @Test func aPauseRestoresTheTerminal() throws {
        let terminal = try PseudoTerminal()
        let modes = terminal.modes
        let session = try TerminalSession(capabilities(), screen: .alternate, device: terminal.device)
        _ = read(terminal, until: "\u{1B}[?25l")
        session.suspend()
        #expect(terminal.modes == modes)
        _ = read(terminal, until: "\u{1B}[?1049l\u{1B}[?25h")
        let region = session.makeRegion(CellRect(column: 0, row: 0, columns: 4, rows: 2))
        try session.resume()
        #expect(terminal.modes != modes)
        region.show(try content(7))
        let output = read(terminal, until: "48;2;7;0;0")
        #expect(output.hasPrefix("\u{1B}[?1049h\u{1B}[2J\u{1B}[?25l"))
        session.end()
    }

    /// The program ends while it is stopped, or while it continues.
    @Test func aPauseDoesNotOutliveTheSession() throws {
        let terminal = try PseudoTerminal()
        let modes = terminal.modes
        let session = try TerminalSession(capabilities(), screen: .alternate, device: terminal.device)
        _ = read(terminal, until: "\u{1B}[?25l")
        session.suspend()
        session.end()
        try session.resume()
        #expect(terminal.modes == modes)
        session.suspend()
        try session.resume()
        #expect(terminal.modes == modes)
    }

    /// The natural place for a key that ends the program. A pause does not outlive that end either.
    @Test(arguments: [false, true]) func theHandlerOfAKeyMayEndTheSession(_ isFinishing: Bool) async throws {
        let terminal = try PseudoTerminal()
        let modes = terminal.modes
        let session = Shared<TerminalSession?>(nil)
        let modesAtReturn = Shared<[tcflag_t]>([])
        let device = terminal.device
        let made = try TerminalSession(capabilities(), screen: .alternate, device: device) { _ in
            if isFinishing { session.now?.finish() } else { session.now?.end() }
            var modes = termios()
            tcgetattr(device.descriptor, &modes)
            modesAtReturn.withLock { $0 = [modes.c_lflag, modes.c_iflag, modes.c_oflag] }
        }
        session.withLock { $0 = made }
        terminal.send("q")
        while terminal.modes != modes { await Task.yield() }
        _ = read(terminal, until: "\u{1B}[?25h")
        // It has not waited for itself: the terminal was restored later.
        #expect(!modesAtReturn.now.isEmpty && modesAtReturn.now != modes)
        made.suspend()
        try made.resume()
        #expect(terminal.modes == modes)
        session.withLock { $0 = nil }
    }

    @Test func aPausedSessionReadsNoKeys() async throws {
        let terminal = try PseudoTerminal()
        let keys = Shared(0)
        let session = try TerminalSession(capabilities(), screen: .alternate, device: terminal.device) { _ in
            keys.withLock { $0 += 1 }
        }
        _ = read(terminal, until: "\u{1B}[?25l")
        session.suspend()
        terminal.send("ab\n")
        // The kernel passes input on by a thread of its own.
        while terminal.unreadCount < 3 && keys.now == 0 { await Task.yield() }
        // The thread wakes, and goes on waiting.
        _ = session.makeRegion(CellRect(column: 0, row: 0, columns: 4, rows: 2))
        for _ in 0..<100 { await Task.yield() }
        #expect(terminal.unreadCount == 3 && keys.now == 0)
        session.end()
    }

    private func sharedCapabilities() -> TerminalCapabilities {
        var capabilities = capabilities(.kitty)
        capabilities.hasSharedMemory = true
        return capabilities
    }

    /// An image of so many pixels in both directions.
    private func photo(_ side: Int) throws -> RegionContent {
        let layout = CellLayout(
            PixelSize(width: side, height: side), within: CellSpan(columns: 4, rows: 2),
            cell: PixelSize(width: 10, height: 20), symbols: nil)
        return .image(try TestImages.photo(side, side), layout)
    }

    private let failure = "\u{1B}_Gi=1073741825;EBADF:Failed to open\u{1B}\\\u{1B}[0n"

    @Test func aNewerFrameIsShownInsteadOfOneThatTheTerminalCouldNotRead() throws {
        let terminal = try PseudoTerminal()
        let session = try TerminalSession(
            sharedCapabilities(), screen: .alternate, device: terminal.device, time: ManualClock().timeSource)
        let region = session.makeRegion(CellRect(column: 0, row: 0, columns: 4, rows: 2))
        region.show(try photo(8))
        #expect(read(terminal, until: "\u{1B}[5n").contains("s=8,"))
        region.show(try photo(6))
        terminal.send(failure)
        let second = read(terminal, until: "\u{1B}[5n")
        #expect(second.contains("s=6,") && !second.contains("s=8,"))
        session.end()
    }

    @Test func anImageOfAReleasedRegionIsNotShownAgain() throws {
        let terminal = try PseudoTerminal()
        let session = try TerminalSession(
            sharedCapabilities(), screen: .alternate, device: terminal.device, time: ManualClock().timeSource)
        var region: TerminalRegion? = session.makeRegion(CellRect(column: 0, row: 0, columns: 4, rows: 2))
        region?.show(try photo(8))
        _ = read(terminal, until: "\u{1B}[5n")
        region = nil
        _ = read(terminal, until: "a=d")
        terminal.send(failure)
        let other = session.makeRegion(CellRect(column: 10, row: 0, columns: 4, rows: 2))
        other.show(try photo(6))
        var later = read(terminal, until: "\u{1B}[5n")
        other.show(try photo(5))
        terminal.send("\u{1B}[0n")
        later += read(terminal, until: "s=5,")
        #expect(!later.contains("s=8,"))
        session.end()
    }

    /// Such a terminal may run in a container of its own.
    @Test func pixelsAreSentInlineIfSharedMemoryFails() throws {
        let terminal = try PseudoTerminal()
        var capabilities = capabilities(.kitty)
        capabilities.hasSharedMemory = true
        let session = try TerminalSession(capabilities, screen: .alternate, device: terminal.device)
        let region = session.makeRegion(CellRect(column: 0, row: 0, columns: 4, rows: 2))
        let layout = CellLayout(
            PixelSize(width: 8, height: 8), within: CellSpan(columns: 4, rows: 2),
            cell: PixelSize(width: 10, height: 20), symbols: nil)
        region.show(.image(try TestImages.photo(8, 8), layout))
        #expect(read(terminal, until: "\u{1B}[5n").contains("t=s"))
        terminal.send("\u{1B}_Gi=1073741825;EBADF:Failed to open\u{1B}\\\u{1B}[0n")
        let second = read(terminal, until: "\u{1B}[5n")
        #expect(second.contains("a=T") && !second.contains("t=s"))
        session.end()
    }
}
