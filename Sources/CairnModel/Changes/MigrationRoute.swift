/// The sequence of migrations that takes a store from one version of its model to another.
public struct MigrationRoute: Sendable {
    /// One migration between two versions.
    public struct Stage: Sendable {
        /// The version that the stage starts from.
        public var source: ManagedObjectModel
        /// The version that the stage leads to.
        public var destination: ManagedObjectModel
        /// What can be inferred about a migration between the two versions.
        public var verdict: InferenceVerdict
    }

    /// The reason that no route exists.
    public enum Refusal: Error, Sendable {
        /// A mapping model with this name lies between the two versions, but migrations with mapping models
        /// are not supported yet. A shorter, inferred route would ignore the mapping.
        case mappingModel(name: String)
        /// Neither a direct migration nor a chain through other versions can be inferred.
        ///
        /// The findings are those of the direct migration.
        case notInferable([InferenceFinding])
    }

    /// The migrations in order. Contains a single stage if the direct migration is used.
    public var stages: [Stage]

    /// Finds a route between two versions.
    ///
    /// Prefers the direct migration. If it cannot be inferred, uses the shortest chain through versions of
    /// the history that lie between the two. If the direct migration would lose data, passes through all
    /// versions in between, provided that this keeps everything that the direct migration keeps, and more.
    ///
    /// - Parameters:
    ///   - source: The version that the store was written with.
    ///   - destination: The version that the program uses.
    ///   - history: The versions of the model, and the mapping models between them.
    /// - Throws: ``Refusal``.
    public init(
        from source: ManagedObjectModel, to destination: ManagedObjectModel,
        in history: ModelHistory
    ) throws(Refusal) {
        let (start, end) = (history.index(of: source), history.index(of: destination))
        if let name = history.mapping(from: source, start, to: destination, end)?.name {
            throw .mappingModel(name: name)
        }
        let direct = InferenceVerdict(from: source, to: destination)
        let between = history.versions.indices.filter { index in
            index > start ?? -1 && index < end ?? history.versions.count
        }.map { history.versions[$0].model }
        guard direct.isPossible else {
            guard let chain = Self.chain(from: source, through: between, to: destination) else {
                throw .notInferable(direct.refusals)
            }
            stages = chain
            return
        }
        stages = [Stage(source: source, destination: destination, verdict: direct)]
        // A property that was renamed in two versions is recognized only by passing through both.
        guard !direct.losses.isEmpty, let steps = Self.steps([source] + between + [destination])
        else { return }
        let (kept, keptBySteps) = (Self.continued(by: stages), Self.continued(by: steps))
        let keepsAll = kept.allSatisfy { keptBySteps[$0.key] == $0.value }
        if keepsAll, keptBySteps.count > kept.count { stages = steps }
    }

    /// Returns the entity name and property name in the last version for each property of the first version,
    /// keyed in the same way. Properties that do not continue to the last version are left out.
    private static func continued(by stages: [Stage]) -> [[String]: [String]] {
        guard let source = stages.first?.source else { return [:] }
        let matchings = stages.map { ModelCorrespondence(from: $0.source, to: $0.destination) }
        var continued: [[String]: [String]] = [:]
        for entity in source.entities {
            for property in entity.properties {
                var last: (entity: Entity, name: String)? = (entity, property.name)
                for matching in matchings {
                    guard let (entity, name) = last else { break }
                    let next = matching.newEntity(of: entity)
                    let newName = matching.newProperty(named: name, of: entity)?.name
                    last = next.flatMap { next in newName.map { (next, $0) } }
                }
                if let last {
                    continued[[entity.name, property.name]] = [last.entity.name, last.name]
                }
            }
        }
        return continued
    }

    /// Returns the migrations from each version to the next, or `nil` if one of them cannot be inferred.
    private static func steps(_ models: [ManagedObjectModel]) -> [Stage]? {
        var stages: [Stage] = []
        for (source, destination) in zip(models, models.dropFirst()) {
            let verdict = InferenceVerdict(from: source, to: destination)
            guard verdict.isPossible else { return nil }
            stages.append(Stage(source: source, destination: destination, verdict: verdict))
        }
        return stages
    }

    /// Returns the shortest chain of migrations that can be inferred, or `nil` if no chain exists.
    private static func chain(
        from source: ManagedObjectModel, through models: [ManagedObjectModel],
        to destination: ManagedObjectModel
    ) -> [Stage]? {
        var chains: [[Stage]] = [[]]
        var unvisited = models
        while !chains.isEmpty {
            var longer: [[Stage]] = []
            for chain in chains {
                let last = chain.last?.destination ?? source
                func stage(to model: ManagedObjectModel) -> Stage? {
                    let verdict = InferenceVerdict(from: last, to: model)
                    return verdict.isPossible
                        ? Stage(source: last, destination: model, verdict: verdict) : nil
                }
                if !chain.isEmpty, let final = stage(to: destination) { return chain + [final] }
                let reached = unvisited.compactMap(stage)
                unvisited.removeAll { model in reached.contains { $0.destination === model } }
                longer += reached.map { chain + [$0] }
            }
            chains = longer
        }
        return nil
    }
}

extension ModelHistory {
    /// Returns a mapping model that covers the way from one version to the other, or a part of it. Returns
    /// `nil` if there is no such mapping model.
    ///
    /// - Parameters:
    ///   - start: The index of the source in `versions`, or `nil` if it is not one of them.
    ///   - end: The index of the destination in `versions`, or `nil` if it is not one of them.
    fileprivate func mapping(
        from source: ManagedObjectModel, _ start: Int?, to destination: ManagedObjectModel,
        _ end: Int?
    ) -> Mapping? {
        mappings.first { mapping in
            let begins = versions.lastIndex { $0.model.declares(mapping.sourceHashes) }
            let ends = versions.firstIndex { $0.model.declares(mapping.destinationHashes) }
            let leavesSource = source.declares(mapping.sourceHashes)
            let reachesDestination = destination.declares(mapping.destinationHashes)
            if leavesSource, reachesDestination { return true }
            guard let begins, let ends, begins < ends else { return false }
            let isAfterSource = leavesSource || start.map { begins >= $0 } ?? false
            let isBeforeDestination = reachesDestination || end.map { ends <= $0 } ?? false
            return isAfterSource && isBeforeDestination
        }
    }
}
