import ArgumentParser
import Cairn

/// The `cairn model diff` command, which shows the changes between two models and what a migration can infer
/// from them.
struct ModelDiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Shows what changed between two models, and whether a migration can be inferred.",
        discussion: """
            Each model may have any form, or be a store that contains its model. Example for two \
            versions of one model: cairn model diff Trails.momd Trails.momd --from "Trails 1"
            """)

    @Argument(
        help: "The old model, or a store.", completion: .file(),
        transform: PathArgument.init(argument:))
    var old: PathArgument

    @Argument(
        help: "The new model, or a store.", completion: .file(),
        transform: PathArgument.init(argument:))
    var new: PathArgument

    @Option(
        parsing: .unconditional, help: "A version of the old model, instead of the current one.")
    var from: String?

    @Option(
        parsing: .unconditional, help: "A version of the new model, instead of the current one.")
    var to: String?

    func run() throws {
        let before = try ToolModel(old).version(from)
        let after = try ToolModel(new).version(to)
        let changes = ModelChanges(from: before, to: after)
        for line in changes.lines { try Output.line(line) }
        guard !changes.isEmpty else {
            return try Output.line("The models are equal.")
        }
        try Output.line("")
        guard changes.requiresMigration || !changes.unnoticedRenames.isEmpty else {
            return try Output.line(
                "No migration is needed: stores of the old model open with the new one.")
        }
        try print(InferenceVerdict(changes, from: before, to: after))
    }

    private func print(_ verdict: InferenceVerdict) throws {
        try Output.line(Self.summary(of: verdict))
        try print("Cannot be inferred:", verdict.refusals)
        try print("Core Data would refuse:", verdict.extensions)
        try print("Must be true for the stored objects:", verdict.conditions)
        try print("Will be lost:", verdict.losses)
        try print("Will not be checked:", verdict.uncheckedRules)
    }

    private static func summary(of verdict: InferenceVerdict) -> String {
        if !verdict.isPossible {
            return "A migration is needed and cannot be inferred."
        }
        return verdict.isPossibleInCoreData
            ? "A migration is needed and can be inferred."
            : "A migration is needed. Cairn can infer it, but Core Data would refuse to."
    }

    private func print(_ heading: String, _ findings: [InferenceFinding]) throws {
        guard !findings.isEmpty else { return }
        try Output.line(heading)
        for finding in findings { try Output.line("    \(finding)") }
    }
}
