import CairnModel
import CairnStack
import Foundation

/// The values that a program provides for the variables of a predicate.
///
/// A path after a variable, such as `$AUTHOR.alias`, is read from the object that is the variable's
/// value, including unsaved changes.
package struct PredicateVariables {
    let values: [String: Any]

    package init(values: [String: Any]) { self.values = values }

    /// Returns the predicate with the values substituted for its variables. Variables without a value
    /// remain.
    ///
    /// - Throws: `.predicate` for a value that predicates cannot compare; the errors of reading a path.
    package func fill(_ predicate: FetchPredicate) throws(GraphError) -> FetchPredicate {
        var paths: [VariablePath: FetchExpression] = [:]
        for path in predicate.paths(from: Set(values.keys)) {
            guard let object = values[path.variable] as? ManagedObject else { continue }
            // Transformable attributes are compared as stored bytes.
            let reader = try KeyPathReader(path.keyPath, of: object.entity, isTransforming: false)
            paths[path] = try expression(
                for: reader.value(from: object), "\(path.variable).\(path.keyPath)")
        }
        var whole: [String: FetchExpression] = [:]
        for (name, value) in values { whole[name] = try expression(for: value, name) }
        return predicate.substituting(paths: paths).substituting(variables: whole)
    }

    private func expression(for value: Any?, _ name: String) throws(GraphError) -> FetchExpression {
        switch value {
        case nil: return .constant(.null)
        case let members as any RelationshipMembers: return try members.expression()
        case let argument as any PredicateArgument: return argument._predicateExpression
        case let several as [Any]: return try list(several, name)
        case let several as Set<AnyHashable>: return try list(several.map(\.base), name)
        case let value? where value is NSNull: return .constant(.null)
        case let value?:
            if let constant = Value(any: value, as: .undefined) { return .constant(constant) }
            throw .predicate(.unsupportedVariableValue(name, found: "\(type(of: value))"))
        }
    }

    private func list(_ several: [Any], _ name: String) throws(GraphError) -> FetchExpression {
        var items: [FetchExpression] = []
        for item in several { items.append(try expression(for: item, name)) }
        return .list(items)
    }
}

extension VariablePath {
    /// The names after the variable, joined with periods.
    var keyPath: String { names.joined(separator: ".") }
}

/// The members of a to-many relationship, for any class of members.
protocol RelationshipMembers {
    /// Returns the current members as a list.
    ///
    /// - Throws: `.store`.
    func expression() throws(GraphError) -> FetchExpression
}
