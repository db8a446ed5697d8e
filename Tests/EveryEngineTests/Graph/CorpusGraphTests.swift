import Cairn
import CairnTestSupport
import Foundation
import Testing

/// Reads real stores object by object.
@Suite(.enabled(if: Corpus.isThere)) struct `The graph of a real store` {
    private static var paths: [String] { Corpus.wholeStorePaths }

    @Test(arguments: paths)
    func `can be read completely, and both ends of its relationships agree`(
        _ path: String
    ) throws {
        let folder = try TemporaryFolder()
        let url = try Corpus.copy(path, into: folder.url)
        // The oldest stores contain no model, without which there is no graph.
        guard let description = try SQLiteStore.model(at: .file(url)) else { return }
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(description))
        try coordinator.addPersistentStore(ofType: "SQLite", at: url, options: [.readOnly: true])
        let expected = Corpus.stores[path]?.counts ?? [:]

        try ContextHandle(coordinator: coordinator).performAndWait { context in
            // One store lists an entity whose name is newer in the model that the store contains.
            for (name, count) in expected
            where context.managedObjectModel.entity(named: name) != nil {
                let objects = try own(name, in: context)
                #expect(objects.count == count, "\(name)")
                for object in objects { try walk(object) }
            }
        }
    }

    private func own(
        _ entity: String, in context: ManagedObjectContext
    ) throws -> [ManagedObject] {
        var request = FetchRequest<ManagedObject>(entity)
        request.includesSubentities = false
        return try context.fetch(request)
    }

    /// Reads every value, and checks that related objects lead back to the object.
    private func walk(_ object: ManagedObject) throws {
        for attribute in object.entity.attributes { _ = try object[attribute.name] }
        for relationship in object.entity.relationships {
            guard let inverse = relationship.inverse else { continue }
            for member in try destinations(relationship, of: object) {
                let back = try destinations(inverse, of: member)
                #expect(back.contains(object), "\(relationship.entity.name).\(relationship.name)")
            }
        }
    }

    private func destinations(
        _ relationship: Relationship, of object: ManagedObject
    ) throws -> [ManagedObject] {
        switch try object.value(forKey: relationship.name) {
        case let one as ManagedObject: [one]
        case let set as ObjectSet<ManagedObject>: Array(set)
        case let list as OrderedObjects<ManagedObject>: Array(list)
        default: []
        }
    }
}
