import ArgumentParser
import Cairn
import CairnSaveJournal
import Foundation

/// `cairn store recover`: finishes an interrupted save over several stores.
struct StoreRecoverCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover",
        abstract: "Says which save over several stores is pending, and finishes it.",
        discussion: """
            One of the stores is enough: its files name the others. A program that opens one of the \
            stores for writing does the same by itself. To say what each store has, the stores are \
            opened and asked, which changes no object.
            A save is in doubt if a store or its journal is missing, damaged or cannot be written. \
            Bring back what is missing, or pass --override-doubt; with --dry-run it says what that \
            would do.
            Example: cairn store recover Catalog.lmdb --dry-run
            """)

    @Argument(
        help: "A store of the save.", completion: .file(),
        transform: PathArgument.init(argument:))
    var stores: [PathArgument]

    @Flag(help: "Say what is pending and what would be done, and do nothing.")
    var dryRun = false

    @Flag(
        help: """
            Decide a save that is in doubt: the stores that can be written take their part if there \
            is a journal; if there is none, each store stays as it is.
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
                "\(unfinishedCount) save(s) cannot be finished, and their stores are as they were.")
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

    /// Describes the pending save, and finishes it unless this is a dry run. Returns `false` if the save
    /// cannot be finished.
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
                for line in text.lines(ofOverriding: other) { try Output.line(line) }
            }
            return false
        case .replay, .drop:
            if dryRun { return true }
            try recovery.finish(file)
            try Output.line("done")
            return true
        }
    }
}
