import ArgumentParser
import Cairn
import Foundation

/// The harness that tries to make Cairn lose or damage data; docs/torture.md says how.
@main struct Torture: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "torture",
        abstract: "Kills writers, fails their calls, replaces their files, and checks the stores.",
        discussion: "Exit codes: 0 nothing was found, 1 something was, 2 used wrongly.",
        subcommands: [RunCommand.self, ServeCommand.self, PerformCommand.self],
        defaultSubcommand: RunCommand.self)
}

/// Processes of the harness: assignments by the standard input, each in a copy of this one.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "serve", shouldDisplay: false)

    func run() throws { try ForkServer.run() }
}

/// One assignment in this process, for strace and debuggers.
struct PerformCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "perform", shouldDisplay: false)

    @Argument var assignment: String

    func run() throws { try Assignment(line: assignment).run() }
}
