import CairnProcesses
import CairnTestSupport
import Foundation
import Testing

/// The number of public declarations, from the symbol graphs of the build under test. A smaller number is no
/// failure; lower the limit then.
@Suite struct `The public interface` {
    /// The most declarations of some modules together. `nil` stands for all modules.
    private static let limits: [(modules: Set<String>?, count: Int)] = [
        (nil, 2_409), (["CairnStack", "CairnUndo", "CairnObjects", "CairnQueries"], 742),
    ]

    @Test func `has no more declarations than its limits`() throws {
        let modules = try Repository.builtModules().path
        let script = try ChildProcess(
            "env",
            ["CAIRN_MODULES=\(modules)", Repository.file("script/count").path, "--public"])

        let table = try String(decoding: script.output(), as: UTF8.self)

        #expect(table.contains("CairnModel "))
        #expect(Self.excess(in: table) == [], "\(table)")
    }

    @Test func `that is larger than a limit is reported`() {
        let table = "CairnModel 860\nCairnStack 200\nCairnObjects 400\nCairnQueries 143\n"

        #expect(Self.excess(in: table) == ["743 of 742"])
        #expect(Self.excess(in: table + "CairnStore 808\n") == ["2411 of 2409", "743 of 742"])
    }

    /// Returns the sums of a table that are over a limit.
    private static func excess(in table: String) -> [String] {
        let counts = table.split(separator: "\n").map { $0.split(separator: " ") }
        return limits.compactMap { limit in
            let sum = counts.reduce(0) { sum, row in
                guard row.count == 2, limit.modules?.contains(String(row[0])) ?? true else {
                    return sum
                }
                return sum + (Int(row[1]) ?? 0)
            }
            return sum > limit.count ? "\(sum) of \(limit.count)" : nil
        }
    }
}
