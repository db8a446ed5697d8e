import CairnModel
import StackSupport
import Testing

@testable import CairnObjects
@testable import CairnQueries
@testable import CairnStack

/// Computes its nickname from its name.
private final class Artist: ManagedObject {
    override func computedValue(ofTransient key: String) -> Value? {
        guard case .string(let name)? = try? self["name"] else { return nil }
        return .string(String(name.prefix(1)))
    }
}

@Suite struct `Sections of a results controller` {
    private let stack: MusicStack
    private let context: ManagedObjectContext

    init() throws {
        stack = try MusicStack()
        context = try stack.context(classes: ObjectClasses([Artist.self]))
    }

    private func controller(
        _ entity: String, sortedBy key: String, sections path: String
    ) -> FetchedResultsController<ManagedObject> {
        var request = FetchRequest<ManagedObject>(entity)
        request.sortDescriptors = [FetchSortDescriptor(key)]
        return FetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: path)
    }

    private func insertArtist(_ name: String) throws -> Artist {
        let artist = try context.insert(Artist.self)
        try artist.setValue(name, forKey: "name")
        return artist
    }

    @Test func `may be named by a transient attribute`() throws {
        let artists = try ["Abba", "Adele", "Björk"].map(insertArtist)
        let controller = controller("Artist", sortedBy: "name", sections: "nickname")

        try controller.performFetch()
        let before = controller.sections?.map(\.name)
        try artists[1].setValue("Cher", forKey: "name")
        context.processPendingChanges()

        #expect(before == ["A", "B"])
        #expect(controller.sections?.map(\.name) == ["A", "B", "C"])
    }

    @Test func `may be named by a transient attribute of a related object`() throws {
        let artist = try insertArtist("Abba")
        let album = try context.insertNewObject(forEntityName: "Album")
        try album.setValue(artist, forKey: "artist")
        try context.save()
        let controller = controller("Album", sortedBy: "title", sections: "artist.nickname")

        try controller.performFetch()
        let before = controller.sections?.map(\.name)
        try artist.setValue("Cher", forKey: "name")
        try context.save()

        #expect(before == ["A"])
        #expect(controller.sections?.map(\.name) == ["C"])
    }

    @Test func `may not be named by a property that is not an attribute`() throws {
        for path in ["nickname.name", "nick", "label.nick"] {
            let controller = controller("Artist", sortedBy: "name", sections: path)
            #expect(throws: GraphError.self) { try controller.performFetch() }
        }
    }

    @Test func `follow another request from its fetch on`() throws {
        _ = try ["Abba", "Cher"].map(insertArtist)
        let controller = controller("Artist", sortedBy: "name", sections: "name")
        try controller.performFetch()

        controller.fetchRequest.predicate = try FetchPredicate(format: "name > 'B'")
        _ = try insertArtist("Adele")
        context.processPendingChanges()
        let before = controller.sections?.map(\.name)
        try controller.performFetch()
        _ = try insertArtist("Air")
        context.processPendingChanges()

        #expect(before == ["Abba", "Adele", "Cher"])
        #expect(controller.sections?.map(\.name) == ["Cher"])
    }
}
