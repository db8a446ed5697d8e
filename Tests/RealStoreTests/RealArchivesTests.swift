import Cairn
import CairnTestSupport
import CoreDataCheckSupport
import Foundation
import Testing

@testable import CairnModel

/// Archives that Apple's tools left in real stores and models, read and written again.
@Suite(.enabled(if: Corpus.isThere)) struct `Real archives` {
    /// Mutable classes whose values are preserved, but not their mutability.
    private static let immutable = [
        "NSMutableArray": "NSArray",
        "NSMutableDictionary": "NSDictionary",
        "NSMutableSet": "NSSet",
        "NSMutableString": "NSString",
    ]

    /// Every distinct archive in the columns of the corpus, with the column's name.
    static let columns: [(name: String, archives: [Data])] = {
        var found: [String: Set<Data>] = [:]
        for path in Corpus.storePaths {
            guard let folder = try? TemporaryFolder(),
                let copy = try? Corpus.copy(path, into: folder.url),
                let sql = try? PlainSQL(copy), let tables = try? Self.tables(of: sql)
            else { continue }
            for (table, column) in tables {
                let quoted = "SELECT DISTINCT \"\(column)\" FROM \"\(table)\""
                let condition =
                    " WHERE substr(\"\(column)\", 1, 6) = CAST('bplist' AS BLOB) LIMIT 300"
                let cells = (try? sql.rows(quoted + condition)) ?? []
                let blobs = cells.compactMap { $0.first?.blob }
                found["\(table).\(column)", default: []].formUnion(blobs)
            }
        }
        return found.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }.map {
            ($0.key, $0.value.sorted { $0.lexicographicallyPrecedes($1) })
        }
    }()

    private static func tables(of sql: PlainSQL) throws -> [(table: String, column: String)] {
        let tables = try sql.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
            .compactMap { $0.first?.text }.filter { $0.hasPrefix("Z") && $0 != "Z_METADATA" }
        return try tables.flatMap { table in
            try sql.rows("PRAGMA table_info(\"\(table)\")").compactMap { row in
                row[2].text == "BLOB" ? row[1].text.map { (table, $0) } : nil
            }
        }
    }

    /// The columns whose archives contain only plain values, with the number of distinct archives.
    private static let valueColumns = [
        "ZCOMMITCONTRIBUTOR.ZEMAILS": 1, "ZINTEGRATION.ZTESTHIERACHY": 9,
        "ZMIGRATIONHISTORY.ZGLOBALKEYVALUES": 4, "ZMOMENT.ZLOCALIZEDLOCATIONNAMES": 8,
        "ZPERSON.ZCONTACTMATCHINGDICTIONARY": 1, "ZSUGGESTION.ZFEATURESDATA": 1,
    ]

    @Test func `of values are read, and written with the same structure`() throws {
        var readCounts: [String: Int] = [:]
        for (name, archives) in Self.columns {
            for archive in archives {
                guard let value = try? ArchivableValue(keyedArchive: archive) else { continue }
                readCounts[name, default: 0] += 1

                let written = try value.keyedArchive()

                #expect(try ArchivableValue(keyedArchive: written) == value)
                #expect(
                    try ArchiveStructure.text(of: Array(written))
                        == ArchiveStructure.text(of: Array(archive), immutable: Self.immutable))
            }
        }
        #expect(readCounts == Self.valueColumns)
    }

    @Test func `of an app's own classes are refused with the name of the class`() throws {
        var refused: Set<String> = []
        for (name, archives) in Self.columns where Self.valueColumns[name] == nil {
            for archive in archives {
                let error = #expect(throws: ArchiveError.self, "\(name)") {
                    try ArchivableValue(keyedArchive: archive)
                }
                guard case .refusedClass(let name, _)? = error else {
                    Issue.record("\(name): \(String(describing: error))")
                    continue
                }
                refused.insert(name)
            }
        }
        #expect(refused.isSuperset(of: ["Content", "CoreDataPlus_Tests.Cover", "NSValue"]))
    }

    // MARK: Damage

    /// The shortest archive of each column, of values or of classes, except for long archives.
    private static let damaged = columns.compactMap { column in
        column.archives.min { $0.count < $1.count }.map { Array($0) }
    }.filter { $0.count < 1500 }

    /// Returns whether reading returns a value or throws a typed error. A trap would end the run.
    private static func isRead(_ bytes: [UInt8]) -> Bool {
        do {
            _ = try ArchivableValue(keyedArchive: Data(bytes))
            return true
        } catch {
            return false
        }
    }

    @Test func `that are cut short are refused`() {
        var accepted: [Int] = []
        for bytes in Self.damaged {
            for count in bytes.indices where Self.isRead(Array(bytes.prefix(count))) {
                accepted.append(count)
            }
        }
        #expect(!Self.damaged.isEmpty)
        #expect(accepted == [])
    }

    @Test func `with wrong bytes result in a value or an error`() {
        var random = SeededRandom(seed: SeededRandom.seed(of: "wrong bytes in archives"))
        var readCount = 0
        var refusedCount = 0
        for original in Self.damaged {
            for _ in 0..<500 {
                var bytes = original
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let index = Int.random(in: bytes.indices, using: &random)
                    bytes[index] = UInt8.random(in: 0...255, using: &random)
                }
                if Self.isRead(bytes) { readCount += 1 } else { refusedCount += 1 }
            }
        }
        #expect(readCount > 100)
        #expect(refusedCount > 100)
    }

    @Test func `whose parts are exchanged result in a value or an error`() throws {
        var random = SeededRandom(seed: SeededRandom.seed(of: "exchanged parts of archives"))
        var refusedCount = 0
        for original in Self.damaged {
            let list = try BinaryPropertyList(original)
            for _ in 0..<200 {
                var other = list
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    other.nodes.swapAt(
                        Int.random(in: other.nodes.indices, using: &random),
                        Int.random(in: other.nodes.indices, using: &random))
                }
                var writer = BinaryPropertyListWriter(other)
                if !Self.isRead(writer.write()) { refusedCount += 1 }
            }
        }
        #expect(refusedCount > 100)
    }
}
