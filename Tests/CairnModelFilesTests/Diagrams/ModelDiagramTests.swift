import CairnModel
import CairnTestSupport
import Foundation
import Testing

@testable import CairnModelFiles

@Suite struct `A diagram of a model` {
    private static func library() throws -> ManagedObjectModel {
        try ManagedObjectModel([
            EntityDescription(
                "Author", [.toMany("books", "Book", inverse: "author"), .attribute("a<b", .string)]),
            EntityDescription(
                "Book",
                [.toOne("author", "Author", inverse: "books"), .toOne("next", "Book")]),
            EntityDescription("Novel", superentity: "Book", isAbstract: true),
            EntityDescription("Alone"),
        ])
    }

    @Test func `is well-formed and shows every entity and property`() throws {
        for theme in ModelDiagram.Theme.allCases {
            let text = try ModelDiagram(Self.library()).svg(theme: theme)

            let root = try XMLElement.read(Array(text.utf8))
            #expect(root.name == "svg")
            for word in ["Author", "Novel : Book", "Alone", "a&lt;b", "books", "next"] {
                #expect(text.contains(">\(word)</text>"), "\(word)")
            }
            #expect(text.contains("prefers-color-scheme") == (theme == .automatic))
        }
    }

    @Test func `draws a relationship and its inverse as one line`() throws {
        let graph = DiagramGraph(try Self.library())

        // One edge each for the pair of relationships, the relationship without an inverse, and the
        // superentity.
        #expect(graph.lines.count == 3)
    }

    @Test func `has a node and an edge for Graphviz`() throws {
        let text = try ModelDiagram(Self.library()).dot()

        #expect(text.hasPrefix("digraph model {"))
        #expect(text.contains("a\\<b"))
        #expect(text.components(separatedBy: " -> ").count == 4)
    }

    @Test func `without entities is empty and valid`() throws {
        let text = try ModelDiagram(ManagedObjectModel([])).svg()

        #expect(try XMLElement.read(Array(text.utf8)).name == "svg")
    }

    @Test(.enabled(if: Corpus.isThere)) func `has no overlapping boxes, and no line through a box`()
        throws
    {
        for location in Corpus.models {
            let graph = DiagramGraph(try ManagedObjectModel(contentsOf: location))
            let layout = DiagramLayout(graph)

            for (index, frame) in layout.frames.enumerated() {
                #expect(
                    frame.x + frame.width <= layout.width && frame.y + frame.height <= layout.height
                )
                for other in layout.frames[..<index] {
                    let isApart =
                        frame.x + frame.width <= other.x || other.x + other.width <= frame.x
                        || frame.y + frame.height <= other.y || other.y + other.height <= frame.y
                    #expect(isApart, "\(location.path)")
                }
            }
            for line in graph.lines {
                let (from, to) = (layout.frames[line.start.box], layout.frames[line.end.box])
                #expect(
                    from.part == to.part && abs(from.column - to.column) <= 1, "\(location.path)")
            }
        }
    }
}
