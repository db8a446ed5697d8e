import ArgumentParser
import Cairn
import CairnStore
import Foundation

/// The `cairn store verify` command, which checks the integrity of a store.
struct StoreVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract:
            "Checks references, inverses, required values, counts and indexes, and finds values that the"
            + " model does not explain. Exits with 1 if there are problems. Also lists files of large"
            + " values that belong to no object."
    )

    @OptionGroup var arguments: StoresArguments

    @Option(parsing: .unconditional, help: "The maximum number of problems to print.")
    var limit = 100

    func validate() throws {
        guard limit >= 0 else { throw ValidationError("--limit must be 0 or greater.") }
    }

    func run() throws {
        let tool = try ToolStores(arguments)
        var total = Total()
        try tool.withOpenStores { stores in
            // Print the engines' own findings first, because a damaged row ends the checks that follow.
            for (index, store) in stores.enumerated() {
                let found = try (store as? any SelfCheckingStore)?.findAllDisagreements() ?? []
                try print(found, tool.prefix(ofStoreAt: index), &total)
                let unnamed = try (store as? any ExternalDataStore)?.unnamedFiles() ?? []
                try note(unnamed, tool.prefix(ofStoreAt: index))
            }
            try tool.withSnapshots(of: stores) { snapshots in
                for (index, snapshot) in snapshots.enumerated() {
                    let verifier = StoreVerifier(
                        snapshot: snapshot, layouts: stores[index].request.layouts)
                    let report = try verifier.verify()
                    try print(report.problems, tool.prefix(ofStoreAt: index), &total)
                    total.objectCount += report.objectCount
                    total.referenceCount += report.referenceCount
                    try printAllowed(report.allowed, tool.prefix(ofStoreAt: index), &total)
                }
            }
        }
        guard total.problemCount == 0 else {
            throw ToolFailure(
                "\(Quantity.count(total.problemCount, "problem")) in"
                    + " \(Quantity.count(total.objectCount, "object")) and"
                    + " \(Quantity.count(total.referenceCount, "reference")).")
        }
        let stores = tool.only == nil ? " in \(tool.members.count) stores" : ""
        try Output.line(
            "sound: \(Quantity.plainCount(total.objectCount, "object")),"
                + " \(Quantity.plainCount(total.referenceCount, "reference"))\(stores)"
                + (total.allowedCount == 0
                    ? ""
                    : "; \(total.allowedCount) of the references lead to no object, as allowed"))
    }

    /// The totals over all stores.
    private struct Total {
        var problemCount = 0
        var objectCount = 0
        var referenceCount = 0
        /// The number of references that may lead to no object, and do.
        var allowedCount = 0
    }

    /// Counts the references of one store that may lead to no object, and prints them like problems.
    private func printAllowed(
        _ references: [StoreVerifier.Problem], _ prefix: String, _ total: inout Total
    ) throws(ToolFailure) {
        for reference in references.prefix(max(0, limit - total.problemCount - total.allowedCount))
        {
            try Output.line("\(prefix)\(reference)")
        }
        total.allowedCount += references.count
    }

    /// Prints the files that no row names. They are no problem: a save that was killed can leave
    /// them, and a store that is open elsewhere may be about to remove them.
    private func note(_ files: [URL], _ prefix: String) throws(ToolFailure) {
        for file in files.prefix(limit) {
            try Output.line("\(prefix)note: no object has its value in the file \(file.path)")
        }
        guard files.count > limit else { return }
        try Output.line(
            "\(prefix)note: \(Quantity.count(files.count - limit, "more file")) of large values that"
                + " no object has")
    }

    /// Counts the problems of one store, and prints them until the limit is reached.
    private func print(
        _ problems: [some CustomStringConvertible], _ prefix: String, _ total: inout Total
    ) throws(ToolFailure) {
        for problem in problems.prefix(max(0, limit - total.problemCount)) {
            try Output.line("\(prefix)\(problem)")
        }
        total.problemCount += problems.count
    }
}

extension SelfCheckingStore {
    /// Returns the disagreements, followed by the values that the model does not explain.
    func findAllDisagreements() throws(StoreError) -> [StoreDisagreement] {
        let found = try findDisagreements()
        return found + (try findUnexplainedValues().filter { !found.contains($0) })
    }
}
