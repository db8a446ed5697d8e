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
        "import CairnGraph", "@testable import CairnGraph", "public import CairnGraph.Deep",
        "import struct Foundation.URL\n@_exported import CairnGraph",
    ])
    func `notices a planted import`(_ source: String) throws {
        let violations = try table().violations(in: source, of: "CairnSQLite")

        #expect(violations == ["CairnGraph"])
    }

    @Test(arguments: ["CairnFiles", "CairnStoreCopying", "CairnGraphFiles"])
    func `keeps files out of the graph`(_ module: String) throws {
        let violations = try table().violations(in: "import \(module)", of: "CairnGraph")

        #expect(violations == [module])
    }

    @Test func `keeps the graph out of copying`() throws {
        let violations = try table().violations(in: "import CairnGraph", of: "CairnStoreCopying")

        #expect(violations == ["CairnGraph"])
    }

    @Test func `notices a module that it does not list`() throws {
        let violations = try table().violations(in: "", of: "CairnSomething")

        #expect(violations == ["CairnSomething is not in the table"])
    }
}
