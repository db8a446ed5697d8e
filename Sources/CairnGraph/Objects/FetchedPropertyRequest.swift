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
        let template = property.description.template
        var request = FetchRequest<ManagedObject>(template.entity)
        request.fetchLimit = template.fetchLimit
        request.fetchOffset = template.fetchOffset
        request.includesSubentities = template.includesSubentities
        request.includesPendingChanges = template.includesPendingChanges
        request.sortDescriptors = template.sortDescriptors.map {
            FetchSortDescriptor($0.keyPath, ascending: $0.isAscending)
        }
        switch template.condition {
        case nil: break
        case .predicate(let predicate)?: request.predicate = try filled(predicate)
        case .unreadable(let text, let reason)?:
            throw .predicate(.unsupported(expression: text, advice: reason))
        }
        return request
    }

    private func filled(_ predicate: FetchPredicate) throws(GraphError) -> FetchPredicate {
        var values: [VariablePath: FetchExpression] = [:]
        for path in predicate.paths(from: [Self.source, Self.property]) {
            values[path] =
                path.variable == Self.source
                ? try expression(for: value(at: path), path)
                : try propertyValue(at: path)
        }
        return predicate.substituting(paths: values)
            .substituting(variables: [Self.source: object.objectID])
    }

    /// The value at a path from the object, with transformable attributes as the bytes that are stored.
    private func value(at path: VariablePath) throws(GraphError) -> Any? {
        try KeyPathReader(path.keyPath, of: object.entity, isTransforming: false)
            .value(from: object)
    }

    /// - Throws: `.predicate` for a value that predicates do not compare.
    private func expression(
        for value: Any?, _ path: VariablePath
    ) throws(GraphError) -> FetchExpression {
        switch value {
        case nil: return .constant(.null)
        case let object as ManagedObject: return .constant(.objectID(object.objectID))
        case let members as ObjectSet<ManagedObject>:
            return .list(try members.objectIDs().map { .constant(.objectID($0)) })
        case let members as OrderedObjects<ManagedObject>:
            return .list(try members.objectIDs().map { .constant(.objectID($0)) })
        case let several as [Any]:
            var items: [FetchExpression] = []
            for item in several { items.append(try expression(for: item, path)) }
            return .list(items)
        case let value?:
            if let constant = Value(any: value, as: .undefined) { return .constant(constant) }
            throw unsupported(path, advice: "It leads to what predicates do not compare.")
        }
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

extension VariablePath {
    fileprivate var keyPath: String { names.joined(separator: ".") }
}
