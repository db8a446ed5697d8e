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
            + " model does not explain. Also lists files of large values that belong to no object.",
        discussion: """
            Several stores are also checked for belonging together: if one of them was restored alone, \
            it lacks saves that were made to both.
            Exits with 0 if the store is sound, with 3 if a rule of the model is broken or if the stores \
            do not belong together, with 4 if the \
            file of a large value is missing, and with 5 if the store's file is damaged. If there are \
            several problems, the greatest of these codes is used.
            """)

    @OptionGroup var arguments: StoresArguments

    @Option(parsing: .unconditional, help: "The maximum number of problems to print.")
    var limit = 100

    func validate() throws {
        guard limit >= 0 else { throw ValidationError("--limit must be 0 or greater.") }
    }

    func run() throws {
        do {
            try check()
        } catch let error as StoreError {
            guard case .corrupt = error else { throw error }
            throw ToolFailure("\(error)", exitCode: StoreVerifier.Problem.Kind.damage.rawValue)
        }
    }

    private func check() throws {
        let tool = try ToolStores(arguments)
        var total = Total()
        try tool.withOpenStores { stores in
            // Print the engines' own findings first, because a damaged row ends the checks that follow.
            for (index, store) in stores.enumerated() {
                let prefix = tool.prefix(ofStoreAt: index)
                if let store = store as? any SelfCheckingStore {
                    let found = try store.findDisagreements()
                    try print(found, prefix, &total)
                    let unexplained = try store.findUnexplainedValues()
                    let isDamaged = found.contains { !unexplained.contains($0) }
                    total.note(isDamaged ? .damage : unexplained.isEmpty ? nil : .brokenRule)
                    try print(unexplained.filter { !found.contains($0) }, prefix, &total)
                }
                let history = try HistoryCheck(store)?.findDisagreements() ?? []
                total.note(history.isEmpty ? nil : .brokenRule)
                try print(history, prefix, &total)
                try note(try (store as? any ExternalDataStore)?.unnamedFiles() ?? [], prefix)
            }
            let mismatches = try tool.mismatches(of: stores)
            total.note(mismatches.isEmpty ? nil : .brokenRule)
            try print(mismatches, "", &total)
            try tool.withSnapshots(of: stores) { snapshots in
                let layouts = stores.map(\.request.layouts)
                let targets = try ReferenceKeys(in: Array(zip(snapshots, layouts)))
                for (index, snapshot) in snapshots.enumerated() {
                    let verifier = StoreVerifier(
                        snapshot: snapshot, layouts: layouts[index], targets: targets)
                    let report = try verifier.verify()
                    let prefix = tool.prefix(ofStoreAt: index)
                    total.note(report.problems.map(\.kind).max())
                    try print(report.problems, prefix, &total)
                    total.objectCount += report.objectCount
                    total.referenceCount += report.referenceCount
                    try printAllowed(report.allowed, prefix, &total)
                }
            }
        }
        try finish(total, storeCount: tool.members.count)
    }

    private func finish(_ total: Total, storeCount: Int) throws(ToolFailure) {
        if let kind = total.worst {
            throw ToolFailure(
                "\(Quantity.count(total.problemCount, "problem")) in"
                    + " \(Quantity.count(total.objectCount, "object")) and"
                    + " \(Quantity.count(total.referenceCount, "reference")).",
                exitCode: kind.rawValue)
        }
        let stores = storeCount == 1 ? "" : " in \(storeCount) stores"
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
        /// The most severe kind of the problems.
        var worst: StoreVerifier.Problem.Kind?
        var objectCount = 0
        var referenceCount = 0
        /// The number of references that may lead to no object, and do.
        var allowedCount = 0

        mutating func note(_ kind: StoreVerifier.Problem.Kind?) {
            worst = [worst, kind].compactMap(\.self).max()
        }
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
    /// them, and a store that is open elsewhere may be about to remove them. `cairn store tidy` removes them.
    private func note(_ files: [URL], _ prefix: String) throws(ToolFailure) {
        for file in files.prefix(limit) {
            try Output.line(
                "\(prefix)note: no object has its value in the file \(VisibleText.line(file.path))")
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
