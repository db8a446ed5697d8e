import CairnMemory
import CairnModel
import CairnRows
import CairnStore
import CairnThreads
import Foundation
import Synchronization

@testable import CairnObjects
@testable import CairnStack

/// A stack over an in-memory store, with a model that contains every shape of relationship.
package struct MusicStack {
    package let coordinator: PersistentStoreCoordinator
    package let source: CountingSource
    package let store: any PersistentStore

    package init(_ description: [EntityDescription] = Self.entities) throws {
        let model = try ManagedObjectModel(description)
        coordinator = PersistentStoreCoordinator(
            managedObjectModel: model, registry: StoreRegistry([InMemoryStore.self]))
        store = try coordinator.addPersistentStore(
            ofType: "InMemory", configurationName: nil, at: nil, options: [:])
        source = CountingSource(coordinator)
    }

    /// Returns a context for use on the test's own thread.
    ///
    /// Its turn lasts as long as the context. Tests of turns create their contexts differently.
    package func context(classes: ObjectClasses = ObjectClasses()) throws -> ManagedObjectContext {
        let context = ManagedObjectContext(
            source: source, concurrencyType: .privateQueue, classes: classes)
        try context.queue.ownerLock.lock()
        return context
    }

    /// Returns the handle of a context that other threads and tasks may hold.
    package func handle() -> ContextHandle { ContextHandle(source: source) }

    package static let entities: [EntityDescription] = [
        EntityDescription(
            "Label",
            [
                .attribute("name", .string),
                .toMany("artists", "Artist", inverse: "label", deleteRule: .deny),
            ]),
        EntityDescription(
            "Artist",
            [
                .attribute("name", .string, isOptional: false),
                .attribute(
                    "founded", .integer32, isOptional: true,
                    validationRules: [.minimum(1000), .maximum(3000)]),
                .attribute(nickname),
                .toOne("label", "Label", inverse: "artists"),
                .toMany("albums", "Album", inverse: "artist", deleteRule: .cascade),
            ]),
        EntityDescription(
            "Album",
            [
                .attribute("title", .string),
                .attribute("released", .date),
                .attribute("price", .decimal),
                .attribute("rating", .double),
                .toOne("artist", "Artist", inverse: "albums"),
                .toOne("cover", "Cover", inverse: "album", deleteRule: .cascade),
                .toMany("tracks", "Track", inverse: "album", isOrdered: true, deleteRule: .cascade),
            ]),
        EntityDescription(
            "Cover",
            [.attribute("image", .binary), .toOne("album", "Album", inverse: "cover")]),
        EntityDescription(
            "Track",
            [
                .attribute("title", .string),
                .attribute("number", .integer64, isOptional: true, defaultValue: 1),
                .toOne("album", "Album", inverse: "tracks"),
                .toMany("tags", "Tag", inverse: "tracks"),
                .toMany("similar", "Track", inverse: "similar"),
            ]),
        EntityDescription("LiveTrack", superentity: "Track", [.attribute("venue", .string)]),
        EntityDescription(
            "Tag",
            [
                .attribute("name", .string),
                .toMany("tracks", "Track", inverse: "tags"),
                .toMany("playlists", "Playlist", inverse: "tags"),
            ]),
        EntityDescription(
            "Playlist", [.toMany("tags", "Tag", inverse: "playlists", isOrdered: true)]),
        EntityDescription(
            "Folder",
            [
                .attribute("name", .string),
                .toOne("parent", "Folder", inverse: "folders"),
                .toMany("folders", "Folder", inverse: "parent", deleteRule: .cascade),
            ]),
        EntityDescription("Note", [.toOne("about", "Album", deleteRule: .noAction)]),
        EntityDescription("Thing", isAbstract: true, []),
    ]

    private static var nickname: AttributeDescription {
        var nickname = AttributeDescription("nickname", .string)
        nickname.isTransient = true
        return nickname
    }
}

/// An object source that forwards all calls to another source and counts them.
package final class CountingSource: ObjectSource {
    private let source: any ObjectSource
    private let counts = Mutex<[String: Int]>([:])

    package init(_ source: any ObjectSource) { self.source = source }

    /// Returns how often a call was made since the counts were last reset.
    package func count(_ call: String) -> Int { counts.withLock { $0[call] ?? 0 } }
    /// The number of calls of each kind since the counts were last reset.
    package var calls: [String: Int] { counts.withLock { $0 } }
    package func resetCounts() { counts.withLock { $0 = [:] } }

    private let failure = Mutex<GraphError?>(nil)
    /// The error that reading members throws, or `nil` if reading succeeds.
    package var relatedIDsFailure: GraphError? {
        get { failure.withLock { $0 } }
        set { failure.withLock { $0 = newValue } }
    }

    private func note(_ call: String, _ count: Int = 1) {
        counts.withLock { $0[call, default: 0] += count }
    }

    package var layouts: RowLayouts { source.layouts }
    package var temporarySpace: StoreNumber { source.temporarySpace }
    package var executor: TurnExecutor { source.executor }

    package func fetch(_ plan: FetchPlan, in stores: [StoreNumber]?) throws(GraphError) -> RowBatch
    {
        note("fetch")
        return try source.fetch(plan, in: stores)
    }
    package func count(_ plan: FetchPlan, in stores: [StoreNumber]?) throws(GraphError) -> Int {
        note("count")
        return try source.count(plan, in: stores)
    }
    package func dictionaries(
        _ plan: DictionaryPlan, in stores: [StoreNumber]?
    ) throws(GraphError) -> [DictionaryRow] {
        note("dictionaries")
        return try source.dictionaries(plan, in: stores)
    }
    package func rows(for ids: [ObjectID]) throws(GraphError) -> RowBatch {
        note("rows")
        let rows = try source.rows(for: ids)
        note("rows read", rows.count)
        return rows
    }
    package func freshRows(for ids: [ObjectID]) throws(GraphError) -> RowBatch {
        note("freshRows")
        return try source.freshRows(for: ids)
    }
    package func relatedIDs(
        _ relationship: Relationship, of ids: [ObjectID]
    ) throws(GraphError) -> RelatedIDs {
        note("relatedIDs")
        if let failure = relatedIDsFailure { throw failure }
        let related = try source.relatedIDs(relationship, of: ids)
        note("members read", related.members.count)
        return related
    }
    package func externalData(_ reference: ExternalReference) throws(GraphError) -> Data {
        try source.externalData(reference)
    }
    package func save(
        _ changes: ChangeSet, of objects: any ChangedObjects
    ) throws(GraphError) -> SaveResult {
        note("save")
        return try source.save(changes, of: objects)
    }
    package func permanentIDs(
        for temporary: [ObjectID], assignments: [ObjectID: StoreNumber]
    ) throws(GraphError) -> [ObjectID] {
        try source.permanentIDs(for: temporary, assignments: assignments)
    }
}
