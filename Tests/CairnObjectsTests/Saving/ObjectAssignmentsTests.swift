import CairnModel
import StackSupport
import Testing

@testable import CairnObjects

@Suite struct `Assignments of new objects to stores` {
    @Test func `are listed by ID for the objects that have a store`() throws {
        let context = try MusicStack().context()
        let objects = try (0..<3).map { _ in try context.insertNewObject(forEntityName: "Tag") }
        var assignments = ObjectAssignments()

        assignments[objects[0]] = StoreNumber(rawValue: 7)
        assignments[objects[1]] = StoreNumber(rawValue: 8)
        assignments[objects[1]] = nil

        #expect(assignments.byID(of: objects) == [objects[0].objectID: StoreNumber(rawValue: 7)])
        #expect(!assignments.isEmpty)
    }

    @Test func `are removed together`() throws {
        let context = try MusicStack().context()
        let tag = try context.insertNewObject(forEntityName: "Tag")
        var assignments = ObjectAssignments()
        assignments[tag] = StoreNumber(rawValue: 7)

        assignments.removeAll()

        #expect(assignments.isEmpty)
        #expect(assignments.byID(of: [tag]).isEmpty)
    }
}
