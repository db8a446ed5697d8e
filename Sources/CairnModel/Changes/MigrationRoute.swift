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
        /// The mapping model that the stage executes. `nil` if its mapping is inferred.
        package var mapping: Mapping?
        /// The code of the program that runs in this stage.
        package var code: [ModelHistory.Code] = []
    }

    /// A mapping model on the way.
    package struct Mapping: Sendable {
        /// The name of the mapping model.
        package let name: String
        /// Its rules for the two versions of the stage.
        package let rules: ResolvedMapping
        /// Its policies by the name in the mapping model.
        package let policies: [String: ModelHistory.Policy]
    }

    /// The reason that no route exists: neither a direct migration nor a chain through other versions can be
    /// inferred, or a mapping model or code on the way does not fit its versions.
    ///
    /// If a version cannot be reached by inference, and without it, values would be put elsewhere than by a
    /// migration through all versions, the findings are these values, and those of that version.
    package struct Refusal: Error, Sendable {
        /// What prevents the migration. If nothing on the way has a mapping model or code, these are the
        /// findings of the direct migration.
        package var findings: [InferenceFinding]
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
        let between = history.versions.indices.filter { index in
            index > start ?? -1 && index < end ?? history.versions.count
        }.map { history.versions[$0].model }
        let versions = [source] + between + [destination]
        let steps = history.fixedSteps(through: versions)
        // The route with the fewest stages to each version that a step begins or ends with. A mapping model or
        // code is never left out: no inferred part of a route contains the whole of such a step.
        var best: [Int: MigrationRoute] = [0: MigrationRoute()]
        var refusal = Refusal(findings: [])
        for index in versions.indices.dropFirst() {
            var routes: [MigrationRoute] = []
            for step in steps where step.end == index {
                guard var route = best[step.start] else { continue }
                do {
                    route.stages.append(try Stage(step, through: versions, history))
                    routes.append(route)
                } catch { refusal = error }
            }
            if index == versions.count - 1 || steps.contains(where: { $0.start == index }) {
                for first in best.keys.sorted() where first < index {
                    guard !steps.contains(where: { $0.start >= first && $0.end <= index }),
                        var route = best[first]
                    else { continue }
                    do {
                        try route.append(
                            versions[first...index], isKnown: start != nil || first > 0, history)
                        routes.append(route)
                    } catch { refusal = error }
                }
            }
            best[index] = routes.min { $0.stages.count < $1.stages.count }
        }
        guard let route = best[versions.count - 1] else {
            refusal.findings += history.unusedMappings
            throw refusal
        }
        self = route
    }

    /// Creates a route of no stages.
    private init() { stages = [] }

    /// Appends the stages of a migration that is inferred from the first to the last of some versions.
    ///
    /// - Parameter isKnown: Whether it is known that the versions in between are newer than the first.
    private mutating func append(
        _ versions: ArraySlice<ManagedObjectModel>, isKnown: Bool, _ history: ModelHistory
    ) throws(Refusal) {
        let versions = Array(versions)
        let direct = InferenceVerdict(from: versions[0], to: versions[versions.count - 1])
        let (found, reasons) = try Self.route(
            through: versions, direct, isKnown: isKnown, isOrderCertain: history.isOrderCertain)
        stages += found
        self.reasons += reasons
        guard isKnown, history.isOrderCertain, versions.count > 2 else { return }
        let moved = MigrationEffect(through: versions).differences(
            from: MigrationEffect(of: found, to: versions[versions.count - 1]),
            in: "the migration that can be inferred", ofSourcesOnly: true)
        if !moved.isEmpty { throw Refusal(findings: moved + Self.refusals(between: versions)) }
    }

    private static func route(
        through versions: [ManagedObjectModel], _ direct: InferenceVerdict, isKnown: Bool,
        isOrderCertain: Bool
    ) throws(Refusal) -> (stages: [Stage], reasons: [InferenceFinding]) {
        let destination = versions[versions.count - 1]
        let isLongest = isKnown && isOrderCertain
        if !direct.isPossible || direct.demandsValues,
            let chain = chain(through: versions, isLongest: isLongest, demandingValues: false)
        {
            return (chain, direct.isPossible ? direct.conditions : direct.refusals)
        }
        guard direct.isPossible else {
            guard let chain = chain(through: versions, isLongest: isLongest) else {
                throw Refusal(findings: direct.refusals)
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
    ///
    /// - Parameter demandingValues: Whether a stage may demand values that only the stored objects can have.
    private static func chain(
        through versions: [ManagedObjectModel], isLongest: Bool, demandingValues: Bool = true
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
                        by: version, after: versions[start], isLast: end == versions.count - 1,
                        demandingValues)
                else { continue }
                found = (stages, count)
            }
            best.append(found)
        }
        guard let stages = best.last??.stages, !stages.isEmpty else { return nil }
        return stages
    }
}

extension MigrationRoute.Mapping {
    fileprivate init(
        _ mapping: ModelHistory.Mapping, from source: ManagedObjectModel,
        to destination: ManagedObjectModel, in history: ModelHistory
    ) {
        name = mapping.name
        rules = ResolvedMapping(mapping.model, from: source, to: destination)
        var policies: [String: ModelHistory.Policy] = [:]
        for name in rules.rules.compactMap(\.policy) {
            policies[name] = history.policy(named: name)
        }
        self.policies = policies
    }

    /// What does not fit the versions or the program.
    fileprivate var refusals: [InferenceFinding] {
        rules.refusals
            + rules.rules.compactMap { rule in
                guard let name = rule.policy, policies[name] == nil else { return nil }
                return InferenceFinding(
                    rule.destination.name, nil,
                    "the entity mapping “\(rule.name)” has the policy “\(name)”, which the program has not"
                        + " registered with ModelHistory.register; \(rule.partOfPolicy)")
            }
    }
}

extension ResolvedMapping.Rule {
    /// What the mapping leaves to its policy, as far as the mapping shows.
    fileprivate var partOfPolicy: String {
        var parts: [String] = []
        let functions = (mapping.attributeMappings + mapping.relationshipMappings).compactMap {
            property -> String? in
            guard case .function(let selector, let arguments)? = property.valueExpression,
                arguments.first == .variable("entityPolicy")
            else { return nil }
            return selector
        }
        func add(_ mappings: [PropertyMapping], _ hook: String) {
            let names = mappings.filter { $0.valueExpression == nil }.map(\.name).sorted()
            if !names.isEmpty { parts.append("\(names.joined(separator: ", ")) in \(hook)") }
        }
        add(mapping.attributeMappings, "createDestinationInstances")
        add(mapping.relationshipMappings, "createRelationships")
        if !functions.isEmpty {
            parts.append("the functions \(functions.sorted().joined(separator: ", "))")
        }
        return parts.isEmpty
            ? "the mapping has an expression for each property, so it does not show what the policy does"
            : "the mapping leaves to it \(parts.joined(separator: "; "))"
    }
}

extension MigrationRoute.Stage {
    /// Creates the stage of a step with a mapping model or code.
    ///
    /// - Throws: A refusal if the mapping model does not fit the versions; if the version before the stage
    ///   lacks an entity of the code, or the entity is removed; or if the changes of entities without code
    ///   cannot be inferred.
    fileprivate init(
        _ step: ModelHistory.FixedStep, through versions: [ManagedObjectModel],
        _ history: ModelHistory
    ) throws(MigrationRoute.Refusal) {
        let (source, destination) = (versions[step.start], versions[step.end])
        let mapping = step.mapping.map {
            MigrationRoute.Mapping($0, from: source, to: destination, in: history)
        }
        if let refusals = mapping?.refusals, let mapping, !refusals.isEmpty {
            throw MigrationRoute.Refusal(findings: refusals.map { $0.ofMapping(mapping.name) })
        }
        let coded = try Self.codedEntities(step.code, from: source, to: destination)
        var verdict = InferenceVerdict()
        if let mapping {
            verdict.losses = mapping.rules.losses
        } else {
            verdict = InferenceVerdict(from: source, to: destination, coded: coded)
        }
        guard verdict.isPossible else {
            throw MigrationRoute.Refusal(findings: verdict.refusals)
        }
        self.init(
            source: source, destination: destination, verdict: verdict, mapping: mapping,
            code: step.code)
    }

    private static func codedEntities(
        _ code: [ModelHistory.Code], from source: ManagedObjectModel,
        to destination: ManagedObjectModel
    ) throws(MigrationRoute.Refusal) -> Set<String> {
        let models = ModelCorrespondence(from: source, to: destination)
        var coded: Set<String> = []
        for entity in code.compactMap(\.entity) {
            if let new = source.entity(named: entity).flatMap(models.newEntity) {
                coded.formUnion(new.hierarchy.map(\.name))
                continue
            }
            let reason =
                source.entity(named: entity) == nil
                ? "the version before the step has no such entity; give the name that the entity has"
                    + " there"
                : "the entity is removed in that step, so no object continues its objects; give the code"
                    + " to the entity that takes their values"
            throw MigrationRoute.Refusal(findings: [
                InferenceFinding(
                    entity, nil,
                    "the program has code for its objects in a step to a new version, but \(reason)"
                )
            ])
        }
        return coded
    }
}

extension [MigrationRoute.Stage] {
    /// Returns the stages with another one at the end, or `nil` if it cannot be inferred. If the version
    /// hashes are equal, a store of one version is also a store of the other, so only the last version is a
    /// stage, which records the model in the store.
    fileprivate func followed(
        by destination: ManagedObjectModel, after source: ManagedObjectModel, isLast: Bool,
        _ demandingValues: Bool
    ) -> Self? {
        let changes = ModelChanges(from: source, to: destination)
        if !changes.requiresMigration, isEmpty || !isLast { return self }
        let verdict = InferenceVerdict(changes, from: source, to: destination)
        guard verdict.isPossible, demandingValues || !verdict.demandsValues else {
            return changes.requiresMigration ? nil : self
        }
        return self + [Element(source: source, destination: destination, verdict: verdict)]
    }
}

extension ModelHistory {
    /// A step between two versions that is not inferred, or not only.
    fileprivate struct FixedStep {
        /// The indices of the two versions.
        let start: Int
        let end: Int
        var mapping: Mapping?
        var code: [Code] = []
    }

    /// Returns the steps between some versions for which there is a mapping model or code.
    fileprivate func fixedSteps(through versions: [ManagedObjectModel]) -> [FixedStep] {
        var steps: [FixedStep] = []
        for end in versions.indices.dropFirst() {
            for code in code(leadingTo: versions[end]) {
                let start = code.source.map { source in
                    versions[..<end].lastIndex { $0.isSame(as: source) }
                        ?? versions[..<end].lastIndex {
                            $0.entityVersionHashes == source.entityVersionHashes
                        }
                }
                // A store of a later version does not pass through this step.
                guard let start = start ?? end - 1 else { continue }
                if let index = steps.firstIndex(where: { $0.start == start && $0.end == end }) {
                    steps[index].code.append(code)
                } else {
                    steps.append(FixedStep(start: start, end: end, code: [code]))
                }
            }
        }
        let coded = steps
        for mapping in mappings {
            guard let (start, end) = mapping.ends(in: versions) else { continue }
            if let index = coded.firstIndex(where: { $0.start == start && $0.end == end }) {
                steps[index].mapping = mapping
            } else if !coded.contains(where: { $0.start >= start && $0.end <= end }) {
                steps.append(FixedStep(start: start, end: end, mapping: mapping))
            }
        }
        return steps
    }
}

extension ModelHistory.Mapping {
    /// Returns the indices of the two versions that the mapping model was made for, or `nil` if it was made for
    /// others.
    func ends(in versions: [ManagedObjectModel]) -> (start: Int, end: Int)? {
        guard let start = versions.lastIndex(where: { $0.declares(sourceHashes) }),
            let end = versions.firstIndex(where: { $0.declares(destinationHashes) }), start < end
        else { return nil }
        return (start, end)
    }
}

extension InferenceFinding {
    /// Returns the finding with the name of the mapping model that it is about.
    func ofMapping(_ name: String) -> InferenceFinding {
        InferenceFinding(entity, property, reason + " (mapping model “\(name)”)")
    }
}
