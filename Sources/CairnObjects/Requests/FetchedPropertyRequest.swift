import CairnModel
import CairnStack

/// The fetch of a fetched property for one object: the property's template with its variables filled in.
///
/// `$FETCH_SOURCE` is the object, and `$FETCHED_PROPERTY` is the property's description. A path after
/// `$FETCH_SOURCE` is read from the object, including its unsaved changes:
/// `authorAlias == $FETCH_SOURCE.alias`. A path after `$FETCHED_PROPERTY` is `name`, or `userInfo.`
/// followed by a key.
struct FetchedPropertyRequest {
    private static let source = "FETCH_SOURCE"
    private static let property = "FETCHED_PROPERTY"

    let property: FetchedProperty
    let object: ManagedObject

    /// Returns the request with all variables filled in.
    ///
    /// - Throws: `.predicate` for a template that could not be read; the errors of reading the paths.
    func request() throws(GraphError) -> FetchRequest<ManagedObject> {
        var request = try FetchRequest<ManagedObject>(property.description.template)
        if let predicate = request.predicate { request.predicate = try filled(predicate) }
        return request
    }

    private func filled(_ predicate: FetchPredicate) throws(GraphError) -> FetchPredicate {
        var paths: [VariablePath: FetchExpression] = [:]
        for path in predicate.paths(from: [Self.property]) {
            paths[path] = try propertyValue(at: path)
        }
        return try PredicateVariables(values: [Self.source: object])
            .fill(predicate.substituting(paths: paths))
    }

    private func propertyValue(at path: VariablePath) throws(GraphError) -> FetchExpression {
        switch (path.names.first, path.names.count) {
        case ("name", 1): return .constant(.string(property.description.name))
        case ("userInfo", 2):
            let text = property.description.userInfo[path.names[1]]
            return .constant(text.map(Value.string) ?? .null)
        default:
            throw unsupported(
                path,
                advice: "A predicate can use only the fetched property's name and the values of its"
                    + " userInfo.")
        }
    }

    private func unsupported(_ path: VariablePath, advice: String) -> GraphError {
        .predicate(
            .unsupported(expression: "$\(path.variable).\(path.keyPath)", advice: advice))
    }
}
