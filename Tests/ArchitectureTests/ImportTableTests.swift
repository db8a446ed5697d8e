import CairnTestSupport
import Foundation
import Testing

@Suite struct `Import table` {
    private func table() throws -> ImportTable {
        ImportTable(markdown: try Repository.text("ARCHITECTURE.md"))
    }

    @Test func `is obeyed by every source file`() throws {
        let table = try table()
        let files = try SourceFiles.all()

        let violations = files.flatMap { file in
            table.violations(in: file.text, of: file.module).map { "\(file.path) imports \($0)" }
        }

        #expect(violations == [])
        #expect(Set(files.map(\.module)) == table.modules)
    }

    @Test(arguments: [
        "import CairnStack", "@testable import CairnStack", "public import CairnStack.Deep",
        "import struct Foundation.URL\n@_exported import CairnStack",
    ])
    func `notices a planted import`(_ source: String) throws {
        let violations = try table().violations(in: source, of: "CairnSQLite")

        #expect(violations == ["CairnStack"])
    }

    @Test(arguments: ["CairnFiles", "CairnStoreCopying", "CairnGraphFiles"])
    func `keeps files out of the graph`(_ module: String) throws {
        let violations = try table().violations(in: "import \(module)", of: "CairnStack")

        #expect(violations == [module])
    }

    @Test func `keeps the graph out of copying`() throws {
        let violations = try table().violations(in: "import CairnStack", of: "CairnStoreCopying")

        #expect(violations == ["CairnStack"])
    }

    @Test func `lists each module after those that it imports`() throws {
        let table = try table()

        #expect(table.upwardImports == [])
        #expect(Set(table.order) == table.modules)
    }

    @Test func `notices an import of a higher floor`() {
        let table = ImportTable(
            markdown:
                "| `CairnLow` | a | CairnHigh, CairnCLibrary |\n| `CairnHigh` | b | CairnLow |")

        #expect(table.upwardImports == ["CairnLow imports CairnHigh"])
    }

    @Test func `names no module of more than 17,000 lines`() throws {
        let lines = Dictionary(grouping: try SourceFiles.all(), by: \.module)
            .mapValues {
                $0.reduce(0) {
                    $0 + $1.text.split(separator: "\n", omittingEmptySubsequences: false).count - 1
                }
            }

        #expect(lines.filter { $0.value > 17_000 } == [:])
        #expect(lines.values.reduce(0, +) > 90_000)
    }

    @Test func `notices a module that it does not list`() throws {
        let violations = try table().violations(in: "", of: "CairnSomething")

        #expect(violations == ["CairnSomething is not in the table"])
    }
}
