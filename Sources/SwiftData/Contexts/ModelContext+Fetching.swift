internal import CairnModel
internal import CairnObjects
internal import CairnQueries
internal import CairnStack
internal import CairnStore
public import Foundation

extension ModelContext {
    /// Fetches the models that match a descriptor, in its order.
    ///
    /// - Throws: `GraphError`: `.predicate(.unsupported)` with the part of the predicate or the sort descriptor that a
    ///   fetch cannot evaluate; `.unknownEntity` for a class that the schema does not contain; `.store`.
    public func fetch<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws
        -> [Model]
    {
        let found: [BackingData] = try objects.fetch(try request(descriptor))
        return found.map(element)
    }

    /// Fetches the models that match a descriptor. Their values are read in batches, when the first model of a batch is
    /// used.
    ///
    /// - Parameters:
    ///   - descriptor: The models to fetch, and their order.
    ///   - batchSize: The number of models whose values are read together. 0 means all of them.
    /// - Throws: The same errors as ``fetch(_:)``.
    public func fetch<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, batchSize: Int
    ) throws -> FetchResultsCollection<Model> {
        var request = try request(descriptor)
        request.fetchBatchSize = batchSize
        return FetchResultsCollection(try objects.fetch(request), self)
    }

    /// Fetches the models that match a descriptor, in sections with the same value of a property. An extension of
    /// SwiftData's interface.
    ///
    /// The sections are in the order of their first models, and the models of a section in the order of the descriptor.
    ///
    /// - Throws: The same errors as ``fetch(_:)``.
    public func fetchSections<Model: PersistentModel, Name: Hashable>(
        _ descriptor: FetchDescriptor<Model>, by name: KeyPath<Model, Name>
    ) throws -> [(name: Name, models: [Model])] {
        var indices: [Name: Int] = [:]
        var sections: [(name: Name, models: [Model])] = []
        for model in try fetch(descriptor) {
            let name = model[keyPath: name]
            if let index = indices[name] {
                sections[index].models.append(model)
            } else {
                indices[name] = sections.count
                sections.append((name, [model]))
            }
        }
        return sections
    }

    /// Returns the number of models that match a descriptor. Creates no models.
    ///
    /// - Throws: The same errors as ``fetch(_:)``.
    public func fetchCount<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws
        -> Int
    {
        try objects.count(for: try request(descriptor))
    }

    /// Returns the identifiers of the models that match a descriptor. Creates no models.
    ///
    /// - Throws: The same errors as ``fetch(_:)``.
    public func fetchIdentifiers<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>
    ) throws -> [PersistentIdentifier] {
        try objects.fetchIDs(try request(descriptor)).map { id in
            guard id.isTemporary, let object = objects.registeredObject(for: id) as? BackingData
            else {
                return PersistentIdentifier(id)
            }
            return model(of: object).persistentModelID
        }
    }

    /// Calls a closure with each model that matches a descriptor, without keeping models that nothing else holds.
    ///
    /// - Parameters:
    ///   - descriptor: The models, and their order.
    ///   - batchSize: The number of models whose values are read together.
    ///   - allowEscapingMutations: Whether the closure may change models. If `false`, a change ends the enumeration with an
    ///     error after the closure that made it, because the models with changes have to stay in memory.
    ///   - block: The closure.
    /// - Throws: The errors of ``fetch(_:)``; the error of the closure; `ModelContext.EscapingMutation`.
    public func enumerate<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, batchSize: Int = 5000,
        allowEscapingMutations: Bool = false, block: (Model) throws -> Void
    ) throws {
        let hadChanges = hasChanges
        for model in try fetch(descriptor, batchSize: batchSize) {
            try block(model)
            if !allowEscapingMutations, !hadChanges, hasChanges { throw EscapingMutation() }
        }
    }

    /// The error of an enumeration whose closure changed a model without permission.
    public struct EscapingMutation: Error, CustomStringConvertible {
        /// What to do.
        public var description: String {
            "the closure of enumerate changed a model; pass allowEscapingMutations: true, or save in the closure"
        }
    }

    /// Marks all models that match a condition for deletion by the next save, with their delete rules.
    ///
    /// - Parameters:
    ///   - type: The class of the models.
    ///   - predicate: The condition. `nil` means all models of the class.
    ///   - includeSubclasses: Whether models of subclasses match, too.
    /// - Throws: The same errors as ``fetch(_:)``.
    public func delete<Model: PersistentModel>(
        model type: Model.Type, where predicate: Predicate<Model>? = nil,
        includeSubclasses: Bool = true
    ) throws {
        var request = try request(FetchDescriptor<Model>(predicate: predicate))
        request.includesSubentities = includeSubclasses
        let matches: FetchResults<BackingData> = try objects.fetch(request)
        for object in Array(matches) { try objects.delete(object) }
        if !matches.isEmpty { noteChange() }
    }

    /// Translates a descriptor.
    private func request<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>
    ) throws(GraphError) -> FetchRequest<BackingData> {
        var request = FetchRequest<BackingData>(try stack.entity(of: Model.self).name)
        let naming = ModelNaming(self)
        if let predicate = descriptor.predicate {
            request.predicate = try SwiftPredicateReader.read(predicate, naming)
        }
        for sort in descriptor.sortBy { request.sortDescriptors.append(try naming.sort(sort)) }
        for path in descriptor.relationshipKeyPathsForPrefetching {
            request.relationshipKeyPathsForPrefetching.append(
                try naming.names(of: path).joined(separator: "."))
        }
        request.fetchLimit = descriptor.fetchLimit ?? 0
        request.fetchOffset = descriptor.fetchOffset ?? 0
        request.includesPendingChanges = descriptor.includePendingChanges
        // In a request, a limit of 0 means no limit.
        if descriptor.fetchLimit == 0 { request.predicate = .constant(false) }
        return request
    }
}

/// The names of models' properties in predicates and sort descriptors, which `@Model` lists.
private struct ModelNaming: PredicateNaming {
    private let context: ModelContext

    init(_ context: ModelContext) { self.context = context }

    func names(of path: AnyKeyPath) throws(GraphError) -> [String] {
        guard var type = type(of: path).rootType as? any PersistentModel.Type else {
            guard let names = AttributeForm.names(of: path) else {
                throw SwiftPredicateReader.unsupported(path)
            }
            return names
        }
        if try context.stack.entity(of: type).isIdentifier(path) { return [] }
        let steps = PropertySteps(path)?.identifiers ?? []
        var names: [String] = []
        for (index, step) in steps.enumerated() {
            let entity = try context.stack.entity(of: type)
            guard let name = entity.name(ofPropertyWith: step) else { break }
            names.append(name)
            if case .attribute(let form)? = entity.properties[name]?.kind {
                guard let elements = form.names(of: steps[(index + 1)...]) else { break }
                return names + elements
            }
            if let destination = entity.destination(of: name) { type = destination }
        }
        guard !names.isEmpty, names.count == steps.count else {
            throw SwiftPredicateReader.unsupported(path)
        }
        return names
    }

    func constant(_ value: Any) -> Value? {
        if let id = value as? PersistentIdentifier {
            return .objectID(context.objectID(of: id) ?? context.insertedID(of: id) ?? ofNoObject)
        }
        return AttributeForm.constant(value)
    }

    /// The ID in place of an identifier that no model of the context has, such as the temporary one of a model that was
    /// saved, or that of a model of another container. No object has this ID, and `nil` differs from it.
    private var ofNoObject: ObjectID {
        let entity = context.objects.managedObjectModel.entities.first?.number ?? EntityNumber(0)
        return ObjectID(
            store: context.stack.coordinator.temporarySpace, rootEntity: entity, entity: entity,
            key: 0)
    }

    /// Translates a sort descriptor. Text is ordered by Unicode scalars for `.lexical`, and otherwise independent of the
    /// locale.
    func sort<Model: PersistentModel>(
        _ sort: SortDescriptor<Model>
    ) throws(GraphError) -> FetchSortDescriptor {
        guard let path = sort.keyPath else { throw SwiftPredicateReader.unsupported(sort) }
        let isLexical = sort.stringComparator.map { $0 == .lexical } ?? true
        return FetchSortDescriptor(
            try names(of: path).joined(separator: "."), ascending: sort.order == .forward,
            textOrder: isLexical ? .scalars : .standard)
    }
}
