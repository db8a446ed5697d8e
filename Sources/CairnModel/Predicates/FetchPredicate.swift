/// A condition on objects that refers to properties by name. Binding it to an entity resolves the names
/// and checks the types.
///
/// A predicate is true or false, and its meaning is the same on every engine:
/// - `nil` is equal only to `nil`. An ordering or text operator is false if either side is `nil`. `NOT` is
///   plain negation, so `NOT (x < 3)` is true if x is `nil`.
/// - Text is compared by Unicode scalars. `[c]` ignores case and `[d]` ignores diacritics, both
///   independently of the locale.
/// - Numbers of different types are compared by value. NaN is equal to NaN and sorts before all numbers.
/// - A key path through a to-one that is `nil` is `nil`. A key path through a to-many requires `ANY`,
///   `ALL`, `NONE`, a collection operator or `SUBQUERY`.
public indirect enum FetchPredicate: Sendable, Hashable {
    /// `TRUEPREDICATE` or `FALSEPREDICATE`.
    case constant(Bool)
    /// A comparison of two expressions, such as `year > 1990` or `ANY tags.name == "new"`.
    case comparison(PredicateComparison)
    /// True if all predicates are true, or if there are no predicates.
    case and([FetchPredicate])
    /// True if at least one predicate is true. False if there are no predicates.
    case or([FetchPredicate])
    /// The negation of a predicate. For example, `NOT (x < 3)` is true if `x` is `nil`.
    case not(FetchPredicate)
}

/// One side of a comparison, in which properties are referred to by name.
public indirect enum FetchExpression: Sendable, Hashable {
    /// A constant, such as `12`, `"text"` or `NULL`. Binding converts it to the type that it is compared
    /// with.
    case constant(Value)
    /// A list of expressions, such as `{1, 2, 3}`.
    case list([FetchExpression])
    /// Names that are followed from the evaluated object: attributes, relationships, collection operators
    /// (`@count`, `@sum`, `@min`, `@max`, `@avg`) and elements of composites.
    case keyPath([String])
    /// `SELF`: the evaluated object, or the checked value in a validation rule.
    case evaluatedObject
    /// `$NAME`, whose value is substituted before binding or is defined by an enclosing subquery.
    case variable(String)
    /// A key path that starts from a subquery's variable or from another expression.
    case keyPathOf(FetchExpression, [String])
    /// A call of a function by its name in Core Data, such as `add:to:`, `canonical:`, `lowercase:` or `now`.
    case function(String, [FetchExpression])
    /// The members of a to-many for which the predicate is true.
    case subquery(
        collection: FetchExpression, variable: String, predicate: FetchPredicate)
    /// `TERNARY(condition, then, else)`.
    case conditional(
        FetchPredicate, then: FetchExpression, otherwise: FetchExpression)
}

extension FetchPredicate {
    /// Whether the predicate contains a temporary object ID, which a save replaces.
    ///
    /// Parts that are nested deeper than ``depthLimit`` are ignored, because binding refuses such a
    /// predicate.
    package var hasTemporaryIDs: Bool { hasTemporaryIDs(within: Self.depthLimit + 1) }

    fileprivate func hasTemporaryIDs(within room: Int) -> Bool {
        guard room > 0 else { return false }
        return switch self {
        case .constant: false
        case .comparison(let comparison):
            comparison.left.hasTemporaryIDs(within: room - 1)
                || comparison.right.hasTemporaryIDs(within: room - 1)
        case .and(let parts), .or(let parts):
            parts.contains { $0.hasTemporaryIDs(within: room - 1) }
        case .not(let part): part.hasTemporaryIDs(within: room - 1)
        }
    }
}

extension FetchExpression {
    fileprivate func hasTemporaryIDs(within room: Int) -> Bool {
        guard room > 0 else { return false }
        let room = room - 1
        return switch self {
        case .constant(.objectID(let id)): id.isTemporary
        case .constant, .keyPath, .evaluatedObject, .variable: false
        case .list(let items), .function(_, let items):
            items.contains { $0.hasTemporaryIDs(within: room) }
        case .keyPathOf(let base, _): base.hasTemporaryIDs(within: room)
        case .conditional(let test, let then, let otherwise):
            test.hasTemporaryIDs(within: room) || then.hasTemporaryIDs(within: room)
                || otherwise.hasTemporaryIDs(within: room)
        case .subquery(let collection, _, let predicate):
            collection.hasTemporaryIDs(within: room) || predicate.hasTemporaryIDs(within: room)
        }
    }
}

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

/// A key path that begins at a variable, such as `$FETCH_SOURCE.mentor.name`.
package struct VariablePath: Sendable, Hashable {
    /// The variable, without the dollar sign.
    package let variable: String
    /// The names after the variable. Never empty.
    package let names: [String]
}

extension FetchPredicate: CustomStringConvertible {
    /// The predicate as text. ``init(format:arguments:)`` reads the text as an equal predicate.
    ///
    /// There are four exceptions that the text cannot express: an empty `and` or `or`, which is written as
    /// the constant that it means, an `and` or `or` with a single part, constants that are composites, and
    /// parts that are nested deeper than `depthLimit`, which are written as “…”. Takes time proportional to
    /// the length of the text.
    public var description: String {
        var writer = PredicateWriter()
        writer.write(self)
        return writer.text
    }
}

extension PredicateComparison: CustomStringConvertible {
    /// The comparison as text, in the format syntax.
    public var description: String {
        var writer = PredicateWriter()
        writer.write(self)
        return writer.text
    }
}

extension FetchExpression: CustomStringConvertible {
    /// The expression as text, in the format syntax.
    public var description: String {
        var writer = PredicateWriter()
        writer.write(self)
        return writer.text
    }
}

extension PredicateComparison.Operator: CustomStringConvertible {
    /// The operator as text, in the format syntax.
    public var description: String {
        switch self {
        case .lessThan: "<"
        case .lessThanOrEqual: "<="
        case .greaterThan: ">"
        case .greaterThanOrEqual: ">="
        case .equal: "=="
        case .notEqual: "!="
        case .like: "LIKE"
        case .matches: "MATCHES"
        case .beginsWith: "BEGINSWITH"
        case .endsWith: "ENDSWITH"
        case .contains: "CONTAINS"
        case .in: "IN"
        case .between: "BETWEEN"
        }
    }
}

extension PredicateComparison.Options: CustomStringConvertible {
    /// The options as letters in brackets. Empty if there are no options.
    public var description: String {
        let letters = [
            contains(.caseInsensitive) ? "c" : "", contains(.diacriticInsensitive) ? "d" : "",
            contains(.normalized) ? "n" : "",
        ].joined()
        return letters.isEmpty ? "" : "[\(letters)]"
    }
}
