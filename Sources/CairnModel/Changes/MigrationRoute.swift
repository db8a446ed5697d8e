/// The sequence of migrations that takes a store from one version of its model to another.
package struct MigrationRoute: Sendable {
    /// One migration between two versions.
    package struct Stage: Sendable {
        /// The version that the stage starts from.
        package var source: ManagedObjectModel
        /// The version that the stage leads to.
        package var destination: ManagedObjectModel
        /// What can be inferred about a migration between the two versions.
        package var verdict: InferenceVerdict
    }

    /// The reason that no route exists.
    package enum Refusal: Error, Sendable {
        /// A mapping model with this name lies between the two versions, but migrations with mapping models
        /// are not supported yet. A shorter, inferred route would ignore the mapping.
        case mappingModel(name: String)
        /// Neither a direct migration nor a chain through other versions can be inferred. The findings are
        /// those of the direct migration.
        ///
        /// Or a version cannot be reached by inference, and without it, values would be put elsewhere than
        /// by a migration through all versions. The findings are these values, and those of that version.
        case notInferable([InferenceFinding])
    }

    /// The migrations in order. Contains a single stage if the direct migration is used.
    package var stages: [Stage]
    /// Why the direct migration is not used: what it would do differently, or why it cannot be inferred.
    /// Empty if the direct migration is used.
    package var reasons: [InferenceFinding] = []

    /// Finds a route between two versions.
    ///
    /// If the history contains the source, the result is that of a migration through all versions between
    /// the two, one after the other. The direct migration is used only if it has the same result. If a
    /// version cannot be reached by inference, the route passes through as many versions as possible, unless
    /// values would then come from other parts of the source. See ``ModelHistory/isOrderCertain`` for versions
    /// whose order is a guess.
    ///
    /// If the history does not contain the source, it is unknown which versions are older. The direct
    /// migration is then used. If it cannot be inferred, the route passes through as few versions as
    /// possible; if it would lose data, through all versions, provided that this keeps everything that the
    /// direct migration keeps, and more.
    ///
    /// - Parameters:
    ///   - source: The version that the store was written with.
    ///   - destination: The version that the program uses.
    ///   - history: The versions of the model, and the mapping models between them.
    /// - Throws: ``Refusal``.
    package init(
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
        let versions = [source] + between + [destination]
        let isKnown = start != nil
        (stages, reasons) = try Self.route(
            through: versions, direct, isKnown: isKnown, isOrderCertain: history.isOrderCertain)
        guard isKnown, history.isOrderCertain, !between.isEmpty else { return }
        let moved = MigrationEffect(through: versions).differences(
            from: MigrationEffect(of: stages, to: destination),
            in: "the migration that can be inferred", ofSourcesOnly: true)
        if !moved.isEmpty { throw .notInferable(moved + Self.refusals(between: versions)) }
    }

    private static func route(
        through versions: [ManagedObjectModel], _ direct: InferenceVerdict, isKnown: Bool,
        isOrderCertain: Bool
    ) throws(Refusal) -> (stages: [Stage], reasons: [InferenceFinding]) {
        let destination = versions[versions.count - 1]
        guard direct.isPossible else {
            guard let chain = chain(through: versions, isLongest: isKnown && isOrderCertain) else {
                throw .notInferable(direct.refusals)
            }
            return (chain, direct.refusals)
        }
        let stages = [Stage(source: versions[0], destination: destination, verdict: direct)]
        guard versions.count > 2, isKnown || !direct.losses.isEmpty else { return (stages, []) }
        let directEffect = MigrationEffect(of: stages, to: destination)
        guard directEffect != MigrationEffect(through: versions),
            let chain = chain(through: versions, isLongest: true)
        else { return (stages, []) }
        let effect = MigrationEffect(of: chain, to: destination)
        let (kept, keptDirectly) = (effect.keptParts, directEffect.keptParts)
        guard effect != directEffect,
            isKnown
                ? isOrderCertain || kept.isSuperset(of: keptDirectly)
                : kept.isStrictSuperset(of: keptDirectly)
        else { return (stages, []) }
        return (chain, effect.differences(from: directEffect))
    }

    /// Returns why the migrations from each version to the next cannot be inferred.
    private static func refusals(between versions: [ManagedObjectModel]) -> [InferenceFinding] {
        zip(versions, versions.dropFirst()).flatMap { old, new in
            let changes = ModelChanges(from: old, to: new)
            return changes.requiresMigration
                ? InferenceVerdict(changes, from: old, to: new).refusals : []
        }
    }

    /// Returns the longest or the shortest chain of migrations from the first version to the last that can be
    /// inferred, or `nil` if no chain exists. The chain follows the order of the versions.
    private static func chain(
        through versions: [ManagedObjectModel], isLongest: Bool
    ) -> [Stage]? {
        // The best chain to each version, with the number of versions that it passes through.
        var best: [(stages: [Stage], count: Int)?] = [([], 0)]
        for (end, version) in versions.enumerated().dropFirst() {
            var found: (stages: [Stage], count: Int)?
            for start in (0..<end).reversed() {
                guard let before = best[start] else { continue }
                let count = before.count + 1
                let isBetter = found.map { isLongest ? count > $0.count : count < $0.count } ?? true
                guard isBetter,
                    let stages = before.stages.followed(
                        by: version, after: versions[start], isLast: end == versions.count - 1)
                else { continue }
                found = (stages, count)
            }
            best.append(found)
        }
        guard let stages = best.last??.stages, !stages.isEmpty else { return nil }
        return stages
    }
}

extension [MigrationRoute.Stage] {
    /// Returns the stages with another one at the end, or `nil` if it cannot be inferred. If the version
    /// hashes are equal, a store of one version is also a store of the other, so only the last version is a
    /// stage, which records the model in the store.
    fileprivate func followed(
        by destination: ManagedObjectModel, after source: ManagedObjectModel, isLast: Bool
    ) -> Self? {
        let changes = ModelChanges(from: source, to: destination)
        if !changes.requiresMigration, isEmpty || !isLast { return self }
        let verdict = InferenceVerdict(changes, from: source, to: destination)
        guard verdict.isPossible else { return changes.requiresMigration ? nil : self }
        return self + [Element(source: source, destination: destination, verdict: verdict)]
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
