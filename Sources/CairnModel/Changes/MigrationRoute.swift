/// The versions through which a store becomes one of another version of its model.
public struct MigrationRoute: Sendable {
    /// One migration between two versions.
    public struct Stage: Sendable {
        /// The version that the stage begins with.
        public var source: ManagedObjectModel
        /// The version that the stage leads to.
        public var destination: ManagedObjectModel
        /// What can be inferred from the two versions.
        public var verdict: InferenceVerdict
    }

    /// Why there is no route.
    public enum Refusal: Error, Sendable {
        /// A mapping model of this name stands between the two versions, and migrations by mapping
        /// models are not there yet. A shorter, inferred route would skip what its author wrote.
        case mappingModel(name: String)
        /// Neither the migration between the two versions nor a chain through others can be inferred.
        /// The findings are those of the two versions.
        case notInferable([InferenceFinding])
    }

    /// The migrations, in their order. One, if the migration between the two versions can be inferred.
    public var stages: [Stage]

    /// Finds a route between two versions.
    ///
    /// The direct migration comes first. The shortest chain through versions of the history that are
    /// between the two comes next; all versions in between are passed if that keeps everything
    /// that the direct migration keeps, and more.
    ///
    /// - Parameter history: the versions of the model, and the mapping models between them.
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
        // A property that was renamed in two versions is recognized only by passing both.
        guard !direct.losses.isEmpty, let steps = Self.steps([source] + between + [destination])
        else { return }
        let (kept, keptBySteps) = (Self.continued(by: stages), Self.continued(by: steps))
        let keepsAll = kept.allSatisfy { keptBySteps[$0.key] == $0.value }
        if keepsAll, keptBySteps.count > kept.count { stages = steps }
    }

    /// Returns what each property of the first version is called in the last one, under the names of
    /// its entity and its own. What is not continued is left out.
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

    /// Returns the migrations from each version to the next. Returns `nil` if one of them cannot be
    /// inferred.
    private static func steps(_ models: [ManagedObjectModel]) -> [Stage]? {
        var stages: [Stage] = []
        for (source, destination) in zip(models, models.dropFirst()) {
            let verdict = InferenceVerdict(from: source, to: destination)
            guard verdict.isPossible else { return nil }
            stages.append(Stage(source: source, destination: destination, verdict: verdict))
        }
        return stages
    }

    /// Returns the shortest chain of migrations that can be inferred. Returns `nil` if there is none.
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
    /// Returns a mapping model that leads from one version to the other, or part of the way. Returns
    /// `nil` if there is no such mapping model.
    ///
    /// - Parameters:
    ///   - start: the index of the source among the versions. `nil` if no version is the source.
    ///   - end: the index of the destination among the versions. `nil` if no version is the
    ///     destination.
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
