import ArgumentParser
import Cairn

/// A command-line word at the position of a command's name that is not the name of a command.
struct MisspeltCommand: CustomStringConvertible {
    private let word: String
    /// The names of the commands before the word. The tool's own name is the first.
    private let path: [String]
    /// The full commands that the user may have meant.
    private let meant: [String]

    /// Finds the first such word. Returns `nil` if every word up to the first option or argument names a
    /// command.
    init?(in arguments: [String], of root: any ParsableCommand.Type) {
        var command = root
        var path = [root.name]
        for word in arguments where !(word == "help" && path.count == 1) {
            if word.hasPrefix("-") || command.configuration.subcommands.isEmpty { return nil }
            guard let next = command.subcommand(named: word) else {
                self.word = word
                self.path = path
                meant = Self.meant(by: word, path, command, root)
                return
            }
            command = next
            path.append(word)
        }
        return nil
    }

    /// Returns the commands with this name in other groups. If there are no such commands, returns the
    /// command of this group whose name is most similar.
    private static func meant(
        by word: String, _ path: [String], _ group: any ParsableCommand.Type,
        _ root: any ParsableCommand.Type
    ) -> [String] {
        let elsewhere = root.configuration.subcommands.filter {
            $0.subcommand(named: word) != nil
        }.map { "\(root.name) \($0.name) \(word)" }
        if !elsewhere.isEmpty { return elsewhere }
        let names = group.configuration.subcommands.map { $0.name }
        return NearestName.of(word, among: names).map { [(path + [$0]).joined(separator: " ")] }
            ?? []
    }

    var description: String {
        let command = path.joined(separator: " ")
        let suggestion = meant.map { "“\($0)”" }.joined(separator: " or ")
        return "cairn: “\(command)” has no command “\(VisibleText.line(word))”."
            + (meant.isEmpty ? "" : " Did you mean \(suggestion)?")
            + "\nUsage: \(command) <subcommand>\n  See '\(command) --help' for more information."
    }
}

extension ParsableCommand {
    /// The name of the command on the command line.
    fileprivate static var name: String { configuration.commandName ?? "" }

    fileprivate static func subcommand(named name: String) -> (any ParsableCommand.Type)? {
        configuration.subcommands.first { $0.name == name }
    }
}
