import ArgumentParser
import Cairn
import Foundation
import Logging

/// The harness that tries to make Cairn lose or damage data. See docs/torture.md.
@main struct Torture: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "torture",
        abstract: "Kills writers, fails their calls, replaces their files, and checks the stores.",
        discussion: "Exit codes: 0 nothing was found, 1 something was, 2 used wrongly.",
        subcommands: [RunCommand.self, ServeCommand.self, PerformCommand.self],
        defaultSubcommand: RunCommand.self)

    /// Runs the command without Cairn's log: unfinished saves are what this program makes on purpose.
    static func main() {
        LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
        main(nil)
    }
}

/// A server process of the harness. It reads assignments from standard input and performs each in a fork of
/// itself.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "serve", shouldDisplay: false)

    func run() throws { try ForkServer.run() }
}

/// Performs one assignment in this process, for use with strace and debuggers.
struct PerformCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "perform", shouldDisplay: false)

    @Argument var assignment: String

    func run() throws { try Assignment(line: assignment).run() }
}
