import CairnSQL
import CairnStore
import CairnTestSupport
import Testing

@testable import CairnSQLite

@Suite struct `SQL text` {
    /// Returns a random condition of a depth, of the forms that translated predicates have.
    private static func condition(_ depth: Int, _ random: inout SeededRandom) -> SQLText {
        guard depth > 0 else { return "(t0.ZA = ?)" }
        let inner = condition(depth - 1, &random)
        switch Int.random(in: 0..<9, using: &random) {
        case 0: return "(NOT \(inner))"
        case 1: return "((t0.ZA = ?) AND \(inner))"
        case 2: return "((t0.ZA = ?) OR \(inner))"
        case 3: return "ifnull((t0.ZA < \(inner)), 0)"
        case 4: return "(cairn_fold(\(inner), 1) IS ?)"
        case 5:
            return
                "EXISTS (SELECT 1 FROM t AS t1 JOIN t AS t2 ON t2.ZA = t1.ZA WHERE t1.ZA = t0.ZA AND \(inner))"
        case 6: return "((SELECT COUNT(*) FROM t AS t1 WHERE t1.ZA = t0.ZA AND \(inner)) > 3)"
        case 7: return "((t0.ZA IN (?,?,\(inner))) OR t0.ZA IS NULL)"
        default: return "(t0.ZA * (CAST(\(inner) AS REAL) + 1) <= ? AND ? <= t0.ZA)"
        }
    }

    /// The bound is safe: the statement around a text takes at most the twelve entries that are left. It is
    /// also close enough to the truth that few texts are refused needlessly.
    @Test func `that needs few entries of the parser's stack is accepted by SQLite`() throws {
        var random = SeededRandom(seed: SeededRandom.seed(of: "the depth of SQL"))
        let folder = try TemporaryFolder()
        let file = folder.file("depth.sqlite")
        let connection = try SQLiteConnection(
            path: file.path, mode: .create, location: .file(file))
        try connection.execute("CREATE TABLE t (ZA, Z_PK)")
        var (accepted, refusedNeedlessly) = (0, 0)

        for _ in 0..<(2_000 * TestSetting.scale) {
            let depth = Int.random(in: 1...40, using: &random)
            let condition = Self.condition(depth, &random)
            let text: SQLText =
                "SELECT t0.Z_PK, t0.ZA FROM t AS t0 WHERE \(condition) ORDER BY t0.Z_PK"
            let isAccepted = (try? SQLiteStatement(text.text, on: connection)) != nil
            if condition.parserDepth <= 88 { #expect(isAccepted, "\(condition.text)") }
            if isAccepted { accepted += 1 }
            if isAccepted, condition.parserDepth > 88 { refusedNeedlessly += 1 }
        }

        #expect(accepted > 500)
        #expect(refusedNeedlessly < accepted / 3)
    }

    @Test func `of a long list needs few entries`() {
        let items = Array(repeating: "?" as SQLText, count: 10_000)
        let text: SQLText = "(t0.ZA IN (\(SQLText.joined(items, by: ","))))"

        let depth = text.parserDepth

        #expect(depth < 20)
    }
}
