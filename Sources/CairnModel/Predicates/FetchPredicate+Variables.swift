extension FetchPredicate {
    /// Returns the predicate with each `$NAME` replaced by its value.
    ///
    /// Variables that are not in `variables` remain, and binding then throws `.unsetVariable`. A subquery's
    /// own variable is never replaced within the subquery. Parts that are nested deeper than `depthLimit`
    /// are left unchanged, because binding refuses such a predicate.
    public func substituting(variables: [String: any PredicateArgument]) -> FetchPredicate {
        let values = VariableValues(whole: variables.mapValues(\._predicateExpression))
        return replacing(values, within: Self.depthLimit + 1)
    }

    /// Returns the predicate with each path that begins at a variable, such as `$FETCH_SOURCE.name`,
    /// replaced by its value.
    ///
    /// Paths that are not in `paths`, and paths from a subquery's own variable, are left unchanged.
    package func substituting(paths: [VariablePath: FetchExpression]) -> FetchPredicate {
        replacing(VariableValues(paths: paths), within: Self.depthLimit + 1)
    }

    /// Returns the predicate with each constant object ID replaced by the object's current ID.
    package func replacingIDs(_ current: @escaping (ObjectID) -> ObjectID) -> FetchPredicate {
        replacing(VariableValues(currentID: current), within: Self.depthLimit + 1)
    }

    fileprivate func replacing(_ values: VariableValues, within room: Int) -> FetchPredicate {
        guard room > 0 else { return self }
        let room = room - 1
        return switch self {
        case .constant: self
        case .comparison(let comparison):
            .comparison(
                PredicateComparison(
                    comparison.left.replacing(values, within: room), comparison.operator,
                    comparison.right.replacing(values, within: room), modifier: comparison.modifier,
                    options: comparison.options))
        case .and(let parts): .and(parts.map { $0.replacing(values, within: room) })
        case .or(let parts): .or(parts.map { $0.replacing(values, within: room) })
        case .not(let part): .not(part.replacing(values, within: room))
        }
    }
}

/// The replacements for variables, for paths that begin at variables, and for object IDs.
private struct VariableValues {
    var whole: [String: FetchExpression] = [:]
    var paths: [VariablePath: FetchExpression] = [:]
    var currentID: ((ObjectID) -> ObjectID)?

    /// Returns the values without those of a variable that a subquery defines itself.
    func hiding(_ variable: String) -> VariableValues {
        VariableValues(
            whole: whole.filter { $0.key != variable },
            paths: paths.filter { $0.key.variable != variable }, currentID: currentID)
    }
}

extension FetchExpression {
    fileprivate func replacing(_ values: VariableValues, within room: Int) -> FetchExpression {
        guard room > 0 else { return self }
        let room = room - 1
        switch self {
        case .constant(.objectID(let id)):
            return values.currentID.map { .constant(.objectID($0(id))) } ?? self
        case .constant, .keyPath, .evaluatedObject: return self
        case .variable(let name): return values.whole[name] ?? self
        case .list(let items): return .list(items.map { $0.replacing(values, within: room) })
        case .function(let name, let arguments):
            return .function(name, arguments.map { $0.replacing(values, within: room) })
        case .keyPathOf(.variable(let name), let names):
            let path = VariablePath(variable: name, names: names)
            return values.paths[path] ?? .keyPathOf(values.whole[name] ?? .variable(name), names)
        case .keyPathOf(let base, let names):
            return .keyPathOf(base.replacing(values, within: room), names)
        case .conditional(let test, let then, let otherwise):
            return .conditional(
                test.replacing(values, within: room), then: then.replacing(values, within: room),
                otherwise: otherwise.replacing(values, within: room))
        case .subquery(let collection, let variable, let predicate):
            return .subquery(
                collection: collection.replacing(values, within: room), variable: variable,
                predicate: predicate.replacing(values.hiding(variable), within: room))
        }
    }
}

// MARK: Finding paths

extension FetchPredicate {
    /// Returns the paths that begin at one of these variables.
    ///
    /// Parts that are nested deeper than ``depthLimit`` are ignored, because binding refuses such a
    /// predicate.
    package func paths(from variables: Set<String>) -> Set<VariablePath> {
        var found: Set<VariablePath> = []
        collectPaths(from: variables, within: Self.depthLimit + 1, into: &found)
        return found
    }

    fileprivate func collectPaths(
        from variables: Set<String>, within room: Int, into found: inout Set<VariablePath>
    ) {
        guard room > 0 else { return }
        switch self {
        case .constant: break
        case .comparison(let comparison):
            comparison.left.collectPaths(from: variables, within: room - 1, into: &found)
            comparison.right.collectPaths(from: variables, within: room - 1, into: &found)
        case .and(let parts), .or(let parts):
            for part in parts {
                part.collectPaths(from: variables, within: room - 1, into: &found)
            }
        case .not(let part): part.collectPaths(from: variables, within: room - 1, into: &found)
        }
    }
}

extension FetchExpression {
    fileprivate func collectPaths(
        from variables: Set<String>, within room: Int, into found: inout Set<VariablePath>
    ) {
        guard room > 0 else { return }
        let room = room - 1
        switch self {
        case .constant, .keyPath, .evaluatedObject, .variable: break
        case .list(let items), .function(_, let items):
            for item in items { item.collectPaths(from: variables, within: room, into: &found) }
        case .keyPathOf(.variable(let name), let names):
            if variables.contains(name) {
                found.insert(VariablePath(variable: name, names: names))
            }
        case .keyPathOf(let base, _):
            base.collectPaths(from: variables, within: room, into: &found)
        case .conditional(let test, let then, let otherwise):
            test.collectPaths(from: variables, within: room, into: &found)
            then.collectPaths(from: variables, within: room, into: &found)
            otherwise.collectPaths(from: variables, within: room, into: &found)
        case .subquery(let collection, let variable, let predicate):
            collection.collectPaths(from: variables, within: room, into: &found)
            predicate.collectPaths(
                from: variables.subtracting([variable]), within: room, into: &found)
        }
    }
}
