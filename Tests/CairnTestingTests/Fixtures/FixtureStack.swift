import CairnTesting
import GraphSupport

/// Runs a body with a builder in a context of a new store, and saves.
func build<Result: Sendable>(
    _ entities: [EntityDescription], _ type: StoreType = .inMemory, saves: Bool = true,
    composites: [CompositeDescription] = [],
    _ body: @escaping @Sendable (FixtureBuilder) throws -> Result
) async throws -> Result {
    var description = ModelDescription(entities)
    description.composites = composites
    let container = try await PersistentContainer.temporary(
        type: type, ManagedObjectModel(description))
    return try await container.perform { context in
        let result = try body(FixtureBuilder(context))
        if saves { try context.save() }
        return result
    }
}
