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
                #expect(from.part == to.part, "\(location.path)")
                expectPassages(in: layout, from: from, to: to)
            }
        }
    }

    /// Expects a height in each column between two boxes at which a line crosses no box.
    private func expectPassages(
        in layout: DiagramLayout, from: DiagramLayout.Frame, to: DiagramLayout.Frame
    ) {
        let columns = [from.column, to.column].sorted()
        for column in columns[0]..<columns[1] where column > columns[0] {
            let passage = layout.passage(ofColumn: column, part: from.part, near: from.y)
            for box in layout.frames where box.part == from.part && box.column == column {
                #expect(passage.left <= box.x && box.x + box.width <= passage.right)
                #expect(passage.y < box.y || box.y + box.height < passage.y)
            }
        }
    }

    /// A model of 68 entities with the same superentity, half of which also have a relationship to the next one.
    private static func large() throws -> ManagedObjectModel {
        let attributes = (1...5).map { PropertyDescription.attribute("value\($0)", .string) }
        let parts = (1...67).map { number in
            EntityDescription(
                "Part\(number)", superentity: "Item",
                attributes + (number % 2 == 0 ? [.toOne("next", "Part\(number - 1)")] : []))
        }
        return try ManagedObjectModel(
            [EntityDescription("Item", [.attribute("name", .string)])] + parts)
    }

    @Test func `of 68 entities has the shape of a page, and no line through a box`() throws {
        let graph = DiagramGraph(try Self.large())
        let layout = DiagramLayout(graph)

        #expect(
            (0.5...3).contains(layout.width / layout.height), "\(layout.width) × \(layout.height)")
        #expect(layout.height < 4000)
        for (index, frame) in layout.frames.enumerated() {
            for other in layout.frames[..<index] where other.column == frame.column {
                #expect(other.y + other.height < frame.y || frame.y + frame.height < other.y)
            }
        }
        for line in graph.lines {
            let (from, to) = (layout.frames[line.start.box], layout.frames[line.end.box])
            expectPassages(in: layout, from: from, to: to)
        }
    }

    @Test func `can show one entity with its neighbours`() throws {
        let model = try Self.library()

        let book = ModelDiagram(model, around: model.entity(named: "Book"))
        let novel = ModelDiagram(model, around: model.entity(named: "Novel"))
        let alone = ModelDiagram(model, around: model.entity(named: "Alone"))

        let titles = [book, novel, alone].map { diagram in
            ["Author", "Book", "Novel : Book", "Alone"].filter {
                diagram.svg().contains(">\($0)</text>")
            }
        }
        #expect(
            titles == [["Author", "Book", "Novel : Book"], ["Book", "Novel : Book"], ["Alone"]])
        #expect(novel.dot().components(separatedBy: " -> ").count == 3)
    }
}
