import CairnModel

/// The fetch of one object's fetched property: its template, with the variables filled in.
///
/// `$FETCH_SOURCE` is the object and `$FETCHED_PROPERTY` the property's description. A path after the
/// first one is read from the object, unsaved changes included: `authorAlias == $FETCH_SOURCE.alias`.
/// A path after the second one is `name`, or `userInfo.` and a key.
struct FetchedPropertyRequest {
    private static let source = "FETCH_SOURCE"
    private static let property = "FETCHED_PROPERTY"

    let property: FetchedProperty
    let object: ManagedObject

    /// - Throws: `.predicate` for a template that could not be read; what reading the paths throws.
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
                path, advice: "A fetched property has a name and a userInfo with texts.")
        }
    }

    private func unsupported(_ path: VariablePath, advice: String) -> GraphError {
        .predicate(
            .unsupported(expression: "$\(path.variable).\(path.keyPath)", advice: advice))
    }
}
