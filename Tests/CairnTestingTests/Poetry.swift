import CairnTesting

/// A poet with a unique name.
final class Poet: ManagedObject {
    @Managed var name: String
    @Managed var poems: Members<Poem>

    override class var entitySettings: EntitySettings {
        EntitySettings(of: Poet.self, .unique("name"))
    }
}

/// A poem, which may have a poet.
final class Poem: ManagedObject {
    @Managed var title: String
    @Managed var lines: Int
    @Managed var poet: Poet?
}

extension PersistentContainer {
    /// Returns a container with a store of poets and poems on an engine.
    static func poetry(
        _ type: StoreType = .inMemory, faults: StoreFaults? = nil
    ) async throws -> PersistentContainer {
        try await temporary(type: type, for: Poet.self, Poem.self, faults: faults)
    }

    /// Saves a poet.
    func save(poet name: String) async throws {
        try await perform { context in
            let poet = try Poet(context: context)
            poet.name = name
            try context.save()
        }
    }

    /// Returns the names of all poets, sorted, as a new context fetches them.
    func poets() async throws -> [String] {
        try await perform { context in
            try context.fetch(FetchRequest<Poet>()).map(\.name).sorted()
        }
    }
}
