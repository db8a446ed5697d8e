import CairnModel
import StackSupport
import Testing

@testable import CairnObjects

/// The number of reads from the source while a cascade is applied and saved: one for each object of a chain,
/// or for each level of a tree, regardless of the number of objects.
@Suite struct `Cost of a cascade` {
    /// Links form a chain. Nodes form a tree whose children are fetched level by level.
    private static let entities = [
        EntityDescription(
            "Link",
            [
                .toOne("next", "Link", inverse: "previous", deleteRule: .cascade),
                .toOne("previous", "Link", inverse: "next"),
            ]),
        EntityDescription(
            "Node",
            [
                .toMany("children", "Node", inverse: "parent", deleteRule: .cascade),
                .toOne("parent", "Node", inverse: "children"),
            ]),
    ]

    /// Deletes the object and everything that the cascade reaches. Returns the numbers of reads of rows and
    /// of members, and the number of rows read.
    private func delete(
        _ id: ObjectID, from stack: MusicStack
    ) throws -> (rows: Int, members: Int, rowsRead: Int) {
        let context = try stack.context()
        stack.source.resetCounts()
        try context.delete(try context.object(with: id))
        try context.save()
        let source = stack.source
        return (source.count("rows"), source.count("relatedIDs"), source.count("rows read"))
    }

    private func deleteChain(length: Int) throws -> (rows: Int, members: Int, rowsRead: Int) {
        let stack = try MusicStack(Self.entities)
        let context = try stack.context()
        let first = try context.insertNewObject(forEntityName: "Link")
        var last = first
        for _ in 1..<length {
            let link = try context.insertNewObject(forEntityName: "Link")
            try last.setValue(link, forKey: "next")
            last = link
        }
        try context.save()
        return try delete(first.objectID, from: stack)
    }

    /// Deletes a tree in which each node has `width` children.
    private func deleteTree(
        width: Int, levelCount: Int
    ) throws -> (rows: Int, members: Int, rowsRead: Int) {
        let stack = try MusicStack(Self.entities)
        let context = try stack.context()
        let root = try context.insertNewObject(forEntityName: "Node")
        var level = [root]
        for _ in 1..<levelCount {
            var next: [ManagedObject] = []
            for parent in level {
                for _ in 0..<width {
                    let child = try context.insertNewObject(forEntityName: "Node")
                    try child.setValue(parent, forKey: "parent")
                    next.append(child)
                }
            }
            level = next
        }
        try context.save()
        return try delete(root.objectID, from: stack)
    }

    @Test(arguments: [200, 2000])
    func `reads each object of a chain once`(_ length: Int) throws {
        let cost = try deleteChain(length: length)

        #expect(cost.rowsRead == length)
        #expect(cost.rows == length)
        #expect(cost.members == 0)
    }

    @Test(arguments: [3, 20])
    func `asks once for each level of a tree`(_ width: Int) throws {
        let cost = try deleteTree(width: width, levelCount: 3)

        let count = 1 + width + width * width
        #expect(cost.rowsRead == count)
        #expect(cost.rows == 3)
        #expect(cost.members <= 4)
    }

    @Test func `asks no more often for a wide level than for a small one`() throws {
        let cost = try deleteTree(width: 2000, levelCount: 2)

        #expect(cost.rowsRead == 2001)
        #expect(cost.rows == 2)
        #expect(cost.members <= 3)
    }
}
