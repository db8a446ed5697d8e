import CairnTestSupport
import Testing

/// Corresponding parts of different engines are in folders of the same name. ARCHITECTURE.md lists the names.
@Suite struct `Folders of the engines` {
    private static let engines = [
        "CairnBinary", "CairnLMDB", "CairnMemory", "CairnPostgreSQL", "CairnSQLite", "CairnXML",
    ]

    private func table() throws -> EngineFolderTable {
        EngineFolderTable(markdown: try Repository.text("ARCHITECTURE.md"))
    }

    /// Returns the source files of an engine, as paths within its module.
    private func files(of engine: String) throws -> [String] {
        try SourceFiles.all().filter { $0.module == engine }
            .map { String($0.path.dropFirst("Sources/\(engine)/".count)) }
    }

    @Test(arguments: engines)
    func `are those of the table`(_ engine: String) throws {
        let violations = try table().violations(in: try files(of: engine))

        #expect(violations == [])
    }

    @Test func `are each used by an engine`() throws {
        let used = try Self.engines.flatMap(files)
            .compactMap { $0.contains("/") ? $0.split(separator: "/").first.map(String.init) : nil }

        #expect(try table().folders == Set(used))
    }

    @Test(arguments: ["Fetching/SQLiteCursor.swift", "Helpers/A.swift", "WriterLock.swift"])
    func `are reported if they have another name`(_ path: String) throws {
        let violations = try table().violations(in: ["Reading/Rows/A.swift", path])

        #expect(violations == [path])
    }

    @Test func `may be absent`() throws {
        let violations = try table().violations(in: ["SQLiteStore.swift", "SQLiteStore+A.swift"])

        #expect(violations == [])
    }
}

/// The names of engine folders, read from the table in ARCHITECTURE.md.
private struct EngineFolderTable {
    let folders: Set<String>

    /// Reads the table rows whose first cell is a folder name in backquotes, such as `Opening/`.
    init(markdown: String) {
        folders = Set(
            markdown.split(separator: "\n").compactMap {
                $0.firstMatch(of: #/^\| `(\w+)\/` \|/#).map { String($0.1) }
            })
    }

    /// Returns the paths that are not in a listed folder. Files outside of folders are allowed if they
    /// contain the store, its options, its codec or its failures.
    func violations(in paths: [String]) -> [String] {
        paths.filter { path in
            let parts = path.split(separator: "/").map(String.init)
            if parts.count > 1 { return !folders.contains(parts[0]) }
            return path.wholeMatch(of: #/\w+(Store|Options|Codec|Failure)(\+\w+)?\.swift/#) == nil
        }
    }
}
