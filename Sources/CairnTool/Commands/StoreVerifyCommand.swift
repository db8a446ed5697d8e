import ArgumentParser
import Cairn
import Foundation

/// `cairn store verify`: whether a store is sound.
struct StoreVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract:
            "Checks references, inverses, required values, counts and indexes; 1 where any fails.")

    @OptionGroup var arguments: StoreArguments

    @Option(parsing: .unconditional, help: "The most problems to print.")
    var limit = 100

    func validate() throws {
        guard limit >= 0 else { throw ValidationError("--limit takes a number from 0.") }
    }

    func run() throws {
        let store = try ToolStore(arguments).open()
        defer { try? store.close() }
        // First what the engine finds itself: damage to a row ends what follows.
        let disagreements = try (store as? any SelfCheckingStore)?.findDisagreements() ?? []
        for found in disagreements.prefix(limit) { try Output.line(found.description) }
        let snapshot = try store.snapshot()
        defer { snapshot.end() }
        let verifier = StoreVerifier(snapshot: snapshot, layouts: store.request.layouts)
        let report = try verifier.verify()
        for problem in report.problems.prefix(max(0, limit - disagreements.count)) {
            try Output.line(problem.description)
        }
        let count = disagreements.count + report.problems.count
        guard count == 0 else {
            throw ToolFailure(
                "\(count) problem(s) among \(report.objectCount) objects"
                    + " and \(report.referenceCount) references.")
        }
        try Output.line(
            "sound: \(report.objectCount) objects, \(report.referenceCount) references")
    }
}
