import ArgumentParser
import Cairn
import Foundation

/// `cairn store verify`: whether a store is sound.
struct StoreVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Checks references, inverses, required values and counts; 1 where any fails.")

    @OptionGroup var arguments: StoreArguments

    @Option(help: "The most problems to print.")
    var limit = 100

    func validate() throws {
        guard limit >= 0 else { throw ValidationError("--limit takes a number from 0.") }
    }

    func run() throws {
        let store = try ToolStore(arguments).open()
        defer { try? store.close() }
        let verifier = StoreVerifier(
            snapshot: try store.snapshot(), layouts: store.request.layouts)
        let report = try verifier.verify()
        for problem in report.problems.prefix(limit) { try Output.line(problem.description) }
        guard report.problems.isEmpty else {
            throw ToolFailure(
                "\(report.problems.count) problem(s) among \(report.objectCount) objects"
                    + " and \(report.referenceCount) references.")
        }
        try Output.line(
            "sound: \(report.objectCount) objects, \(report.referenceCount) references")
    }
}
