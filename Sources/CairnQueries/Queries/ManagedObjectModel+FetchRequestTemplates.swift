import CairnModel
import CairnObjects
import CairnStack

/// The named fetch requests of a model.
///
/// A request is returned for objects of any class, or for objects of the class that the caller expects:
/// `let request: FetchRequest<Book> = try model.fetchRequestTemplate(forName: "recent")`. The fetch
/// checks that the entity has this class.
extension ManagedObjectModel {
    /// Returns the request of a template. Variables remain in the predicate.
    ///
    /// A fetch throws `.unsetVariable` if the predicate still contains a variable. To fill variables in,
    /// use `fetchRequestFromTemplate(withName:substitutionVariables:)`.
    ///
    /// - Throws: `.unknownFetchRequestTemplate`; `.fetchRequestTemplate` if the template's predicate could
    ///   not be read.
    public func fetchRequestTemplate(
        forName name: String
    ) throws(GraphError) -> FetchRequest<ManagedObject> {
        try request(ofTemplate: name)
    }

    /// Returns the request of a template for objects of a class.
    ///
    /// - Throws: The same errors as the method for objects of any class.
    public func fetchRequestTemplate<Result: ManagedObject>(
        forName name: String
    ) throws(GraphError) -> FetchRequest<Result> {
        try request(ofTemplate: name)
    }

    /// Returns the request of a template with a value for each variable of its predicate. The request is
    /// checked against the entity.
    ///
    /// ```swift
    /// let request = try model.fetchRequestFromTemplate(
    ///     withName: "recentBooks", substitutionVariables: ["AUTHOR": author, "YEARS": [1999, 2000]])
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name of the template in the model, which is case-sensitive.
    ///   - variables: The values by variable name, without the dollar sign. A value is a value of an
    ///     attribute type, an `NSNumber`, an `NSNull`, a managed object, an object ID, or an array or
    ///     set of these. Names that the template does not have are ignored.
    /// - Throws: `.unknownFetchRequestTemplate`; `.fetchRequestTemplate` with the reason: a variable
    ///   without a value (`.unsetVariable`), a value whose type differs from the type that it is compared
    ///   with (`.typeMismatch`), a value of a type that predicates cannot compare
    ///   (`.unsupportedVariableValue`), or a predicate that could not be read or does not fit the entity;
    ///   the errors of reading a path after a variable.
    public func fetchRequestFromTemplate(
        withName name: String, substitutionVariables variables: [String: Any]
    ) throws(GraphError) -> FetchRequest<ManagedObject> {
        try request(ofTemplate: name, variables)
    }

    /// Returns the request of a template with a value for each variable of its predicate, for objects of
    /// a class.
    ///
    /// - Throws: The same errors as the method for objects of any class.
    public func fetchRequestFromTemplate<Result: ManagedObject>(
        withName name: String, substitutionVariables variables: [String: Any]
    ) throws(GraphError) -> FetchRequest<Result> {
        try request(ofTemplate: name, variables)
    }

    /// - Parameter variables: The values of the variables. If `nil`, variables remain in the predicate.
    private func request<Result: ManagedObject>(
        ofTemplate name: String, _ variables: [String: Any]? = nil
    ) throws(GraphError) -> FetchRequest<Result> {
        let templates = description.fetchRequestTemplates
        guard let template = templates[name] else {
            throw .unknownFetchRequestTemplate(
                name, nearest: NearestName.of(name, among: templates.keys.sorted()))
        }
        guard let entity = entity(named: template.entity) else {
            throw .unknownEntity(template.entity, known: entities.map(\.name))
        }
        do {
            var request = try FetchRequest<Result>(template)
            guard let variables else { return request }
            if let predicate = request.predicate {
                request.predicate = try PredicateVariables(values: variables).fill(predicate)
            }
            _ = try request.plan(for: entity, in: nil)
            return request
        } catch .predicate(let reason) {
            throw .fetchRequestTemplate(name, reason)
        } catch {
            throw error
        }
    }
}
