import ArgumentParser
import Cairn
import CairnSaveJournal
import CairnStore
import Foundation

/// The `cairn store recover` command, which finishes an interrupted save over several stores.
struct StoreRecoverCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover",
        abstract: "Shows a pending save over several stores, and finishes it.",
        discussion: """
            Name one of the stores: its files lead to the others. A program that opens one of the \
            stores for writing finishes the save as well. To find out what each store contains, the \
            stores are opened, which changes no object.
            A save is in doubt if a store or its journal is missing or damaged, or if it cannot be \
            written. Restore what is missing, or pass --override-doubt. Add --dry-run to see what \
            that would do.
            Example: cairn store recover Catalog.lmdb --dry-run
            """)

    @Argument(
        help: "A store of the save.", completion: .file(),
        transform: PathArgument.init(argument:))
    var stores: [PathArgument]

    @Flag(help: "Show what is pending and what would be done, without doing it.")
    var dryRun = false

    @Flag(
        help: """
            Settle a save that is in doubt. If there is a journal, the save is finished in the stores \
            that can be written and have the rows that it changes. Otherwise, the stores are left \
            unchanged. The output says which stores then contain the save.
            """)
    var overrideDoubt = false

    func run() throws {
        let recovery = SaveRecovery.forTool(overridesDoubt: overrideDoubt)
        var (seen, unfinishedCount): (Set<String>, Int) = ([], 0)
        for file in try files() where !seen.contains(file.storePath) {
            guard let report = try recovery.report(on: file) else {
                if !dryRun { try recovery.finish(file) }
                try Output.line("\(file.location): no save is pending")
                continue
            }
            seen.formUnion(report.members.compactMap { $0.location.fileURL?.path })
            if try !finish(report, of: file, by: recovery) { unfinishedCount += 1 }
        }
        if unfinishedCount > 0 {
            throw ToolFailure(
                "\(Quantity.count(unfinishedCount, "save")) cannot be finished. The stores are"
                    + " unchanged.")
        }
    }

    private func files() throws -> [PendingSaveFile] {
        try stores.map { path in
            let location = StoreLocation.file(try path.url())
            guard let file = PendingSaveFile(of: location) else {
                throw StoreError.notFound(location)
            }
            let isThere = FileManager.default.fileExists(atPath: file.storePath)
            guard isThere || file.exists else { throw StoreError.notFound(location) }
            return file
        }
    }

    /// Prints what is pending, and finishes it unless this is a dry run. Returns `false` if it cannot be
    /// finished.
    private func finish(
        _ report: PendingSaveReport, of file: PendingSaveFile, by recovery: SaveRecovery
    ) throws -> Bool {
        let text = PendingSaveText(report, askedAbout: file.location)
        let plan = report.plan(overridingDoubt: overrideDoubt)
        try Output.line(text.description)
        for line in text.lines(of: plan, isDryRun: dryRun) { try Output.line(line) }
        switch plan {
        case .later: return false
        case .doubt:
            let other = report.plan(overridingDoubt: true)
            if !overrideDoubt, other != plan {
                let results = text.results(of: other, isDryRun: true)
                for line in text.lines(ofOverriding: other) + results { try Output.line(line) }
            }
            return false
        case .replay, .drop:
            if !dryRun {
                try recovery.finish(file)
                try Output.line("done")
            }
            if overrideDoubt, report.plan(overridingDoubt: false) != plan {
                for line in text.results(of: plan, isDryRun: dryRun) { try Output.line(line) }
            }
            return true
        }
    }
}
