import CairnModel

/// Fetch requests that a model keeps under a name.
///
/// A request is returned for objects of any class, or for those of the class that the caller expects:
/// `let request: FetchRequest<Book> = try model.fetchRequestTemplate(forName: "recent")`. A fetch checks
/// that the entity has the class.
extension ManagedObjectModel {
    /// Returns the request of a template, its variables left in the predicate.
    ///
    /// A fetch throws `.unsetVariable` for a variable that is left; fill them in with
    /// `fetchRequestFromTemplate(withName:substitutionVariables:)`.
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
    /// - Throws: as the form for objects of any class.
    public func fetchRequestTemplate<Result: ManagedObject>(
        forName name: String
    ) throws(GraphError) -> FetchRequest<Result> {
        try request(ofTemplate: name)
    }

    /// Returns the request of a template with a value for each variable of its predicate, checked against
    /// the entity.
    ///
    /// ```swift
    /// let request = try model.fetchRequestFromTemplate(
    ///     withName: "recentBooks", substitutionVariables: ["AUTHOR": author, "YEARS": [1999, 2000]])
    /// ```
    ///
    /// - Parameter variables: by name, without the dollar sign: values of attribute types, `NSNumber`,
    ///   `NSNull`, managed objects, object IDs, and arrays and sets of these. Names that the template
    ///   does not have are ignored.
    /// - Throws: `.unknownFetchRequestTemplate`; `.fetchRequestTemplate` with the reason: a variable
    ///   without a value (`.unsetVariable`), a value of another type than the one it is compared with
    ///   (`.typeMismatch`), a value of a type that predicates do not compare (`.wrongVariable`), a
    ///   predicate that could not be read or does not fit the entity; what reading a path after a
    ///   variable throws.
    public func fetchRequestFromTemplate(
        withName name: String, substitutionVariables variables: [String: Any]
    ) throws(GraphError) -> FetchRequest<ManagedObject> {
        try request(ofTemplate: name, variables)
    }

    /// Returns the request of a template with a value for each variable of its predicate, for objects of a
    /// class.
    ///
    /// - Throws: as the form for objects of any class.
    public func fetchRequestFromTemplate<Result: ManagedObject>(
        withName name: String, substitutionVariables variables: [String: Any]
    ) throws(GraphError) -> FetchRequest<Result> {
        try request(ofTemplate: name, variables)
    }

    /// - Parameter variables: `nil` if the variables are to stay.
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
        do throws(GraphError) {
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
