import CairnTestSupport
import Foundation
import Testing

/// The page that explains similarly named types lists all of them.
@Suite struct `The page of concepts` {
    private static let modules: Set<String> = [
        "CairnRows", "CairnStore", "CairnEngineKit", "CairnStack", "CairnObjects", "CairnQueries",
    ]
    /// Words that occur in the names of several types.
    private static let words = ["Change", "Conflict", "Snapshot", "Pack", "RowPen", "RowWriter"]

    private static func listed(on page: String) -> Set<String> {
        Set(page.matches(of: /(?m)^\| `(\w+)` \|/).map { String($0.output.1) })
    }

    @Test func `lists each type whose name contains a concept's word, and no unknown type`() throws
    {
        let listed = Self.listed(on: try Repository.text("docs/concepts.md"))

        let declared = try SourceFiles.all().flatMap { file in
            DeclaredTypes(in: file.text).declarations.filter { !$0.isPrivate }
                .map { (file.module, $0.name) }
        }
        let shared = declared.filter { module, name in
            Self.modules.contains(module)
                && Self.words.contains { name.contains($0) }
        }

        #expect(Set(shared.map(\.1)).subtracting(listed) == [], "types that the page lacks")
        #expect(listed.subtracting(declared.map(\.1)) == [], "types that went")
        #expect(shared.count > 30)
    }

    @Test func `lists the types in its first column`() {
        let listed = Self.listed(on: "| `A` | is `B` |\n| Type | is |\n| `C` |")

        #expect(listed == ["A", "C"])
    }
}
