/// Finds versions of a model that stores cannot be migrated from, and mistakes in mapping models.
package struct HistoryLinter: Sendable {
    private let history: ModelHistory

    /// Creates a linter. Nothing is checked until ``findings()`` is called.
    package init(_ history: ModelHistory) { self.history = history }

    /// Returns the mapping models that fit no two versions, what is wrong in the others, the policies that a
    /// program has to register, and the versions that no chain of migrations leads to the newest from.
    package func findings() -> [InferenceFinding] {
        history.unusedMappings + history.mappings.flatMap(mistakes)
            + history.mappings.flatMap(missingPolicies) + lostVersions()
    }

    /// Returns what a mapping model says about entities and properties that its versions do not have.
    private func mistakes(in mapping: ModelHistory.Mapping) -> [InferenceFinding] {
        guard let (start, end) = mapping.ends(in: history.versions.map(\.model)) else { return [] }
        return ResolvedMapping(
            mapping.model, from: history.versions[start].model, to: history.versions[end].model
        ).refusals.map { $0.ofMapping(mapping.name) }
    }

    private func missingPolicies(of mapping: ModelHistory.Mapping) -> [InferenceFinding] {
        policies(of: mapping).map {
            InferenceFinding(
                "The mapping model “\(mapping.name)”", nil,
                "a program that uses it has to register the policy “\($0)”")
        }
    }

    /// Returns the names of the policies that are not registered.
    private func policies(of mapping: ModelHistory.Mapping) -> [String] {
        Set(mapping.model.entityMappings.compactMap(\.entityMigrationPolicyClassName)).sorted()
            .filter { history.policy(named: $0) == nil }
    }

    private func lostVersions() -> [InferenceFinding] {
        guard let newest = history.versions.last else { return [] }
        var known = history
        known.policies += history.mappings.flatMap(policies).map {
            ModelHistory.Policy(name: $0, body: ())
        }
        var findings: [InferenceFinding] = []
        for version in history.versions.dropLast() {
            do {
                _ = try MigrationRoute(from: version.model, to: newest.model, in: known)
            } catch {
                let reason = error.findings.first.map { ": \($0)" } ?? ""
                findings.append(
                    InferenceFinding(
                        "The version “\(version.name)”", nil,
                        "no chain of migrations leads from it to “\(newest.name)”\(reason)"))
            }
        }
        return findings
    }
}
