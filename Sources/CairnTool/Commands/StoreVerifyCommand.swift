import ArgumentParser
import Cairn
import Foundation

/// `cairn store verify`: checks whether a store is sound.
struct StoreVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract:
            "Checks references, inverses, required values, counts and indexes; 1 where any fails.")

    @OptionGroup var arguments: StoresArguments

    @Option(parsing: .unconditional, help: "The most problems to print.")
    var limit = 100

    func validate() throws {
        guard limit >= 0 else { throw ValidationError("--limit takes a number from 0.") }
    }

    func run() throws {
        let tool = try ToolStores(arguments)
        var total = Total()
        try tool.withOpenStores { stores in
            // Let the engines check first, because the check of objects ends at the first damaged row.
            for (index, store) in stores.enumerated() {
                let found = try (store as? any SelfCheckingStore)?.findDisagreements() ?? []
                try print(found, tool.prefix(ofStoreAt: index), &total)
            }
            try tool.withSnapshots(of: stores) { snapshots in
                for (index, snapshot) in snapshots.enumerated() {
                    let verifier = StoreVerifier(
                        snapshot: snapshot, layouts: stores[index].request.layouts)
                    let report = try verifier.verify()
                    try print(report.problems, tool.prefix(ofStoreAt: index), &total)
                    total.objectCount += report.objectCount
                    total.referenceCount += report.referenceCount
                }
            }
        }
        guard total.problemCount == 0 else {
            throw ToolFailure(
                "\(total.problemCount) problem(s) among \(total.objectCount) objects"
                    + " and \(total.referenceCount) references.")
        }
        let stores = tool.only == nil ? " in \(tool.members.count) stores" : ""
        try Output.line(
            "sound: \(total.objectCount) objects, \(total.referenceCount) references\(stores)")
    }

    /// The results for all stores.
    private struct Total {
        var problemCount = 0
        var objectCount = 0
        var referenceCount = 0
    }

    /// Prints the problems of a store until the limit is reached, and counts all of them.
    private func print(
        _ problems: [some CustomStringConvertible], _ prefix: String, _ total: inout Total
    ) throws(ToolFailure) {
        for problem in problems.prefix(max(0, limit - total.problemCount)) {
            try Output.line("\(prefix)\(problem)")
        }
        total.problemCount += problems.count
    }
}
