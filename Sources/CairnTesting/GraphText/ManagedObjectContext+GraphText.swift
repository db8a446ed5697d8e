import Cairn

extension ManagedObjectContext {
    /// Returns all objects of the context and its stores as text, including unsaved changes.
    ///
    /// ```swift
    /// #expect(
    ///     try context.graphText() == """
    ///         Author#1
    ///           name: "George Eliot"
    ///           books: {Book#1, Book#2}
    ///         Book#1
    ///           pages: 542
    ///           title: "Adam Bede"
    ///           author: Author#1
    ///         Book#2
    ///           pages: 880
    ///           title: "Middlemarch"
    ///           author: Author#1
    ///         """)
    /// ```
    ///
    /// The text depends only on the contents of the objects, not on their IDs, the order in which they were
    /// inserted, or the engine. Objects are sorted by entity name. Objects of one entity are sorted by the
    /// values of their attributes, with strings first, and then by the destinations of their relationships.
    /// Objects that still cannot be distinguished are sorted by key. In nearly all graphs such objects are
    /// interchangeable, so the text is the same for each order.
    ///
    /// For each object, the text shows the attributes in the order of the model, and then the relationships.
    /// It leaves out `nil` values, empty relationships and transient properties. Dates are in ISO 8601 with
    /// up to six fractional digits. Bytes are shown as their count and a short hash. Members of an ordered
    /// relationship are in `[ ]`, in their order. Other members are in `{ }`, sorted. A relationship to an
    /// object that is no longer in the graph shows `#?` instead of a number. Deleted objects are left out.
    /// The text does not end with a line break.
    ///
    /// This method reads every object of the stores.
    ///
    /// - Parameter properties: The names of properties to omit, for example IDs and times that differ each
    ///   time. They do not affect the order either. `"id"` omits the property of each entity, and
    ///   `"Author.id"` of one entity.
    /// - Throws: `.store`, `.unknownStore`, `.wrongThread`.
    public func graphText(omitting properties: Set<String> = []) throws(GraphError) -> String {
        try GraphText(self, omitting: properties).text { _ in true }
    }

    /// Returns the objects of some entities as text, including objects of subentities.
    ///
    /// Objects have the same names and order as in the text of the whole graph. To find these, this method
    /// reads the whole graph.
    ///
    /// - Parameters:
    ///   - names: The names of the entities.
    ///   - properties: The same as for ``graphText(omitting:)``.
    /// - Throws: `.unknownEntity`; the same errors as ``graphText(omitting:)``.
    public func graphText(
        ofEntities names: String..., omitting properties: Set<String> = []
    ) throws(GraphError) -> String {
        var entities: [Entity] = []
        for name in names {
            guard let entity = managedObjectModel.entity(named: name) else {
                throw .unknownEntity(name, known: managedObjectModel.entities.map(\.name))
            }
            entities.append(entity)
        }
        return try GraphText(self, omitting: properties).text { object in
            entities.contains { object.entity.isKind(of: $0) }
        }
    }

    /// Returns some objects as text. Deleted objects are left out.
    ///
    /// Objects have the same names and order as in the text of the whole graph. To find these, this method
    /// reads the whole graph.
    ///
    /// - Parameters:
    ///   - objects: Objects of this context, in any order. Duplicates are ignored.
    ///   - properties: The same as for ``graphText(omitting:)``.
    /// - Throws: `.wrongContext` for an object of another context; the same errors as
    ///   ``graphText(omitting:)``.
    public func graphText(
        of objects: some Sequence<ManagedObject>, omitting properties: Set<String> = []
    ) throws(GraphError) -> String {
        let chosen = Set(objects)
        for object in chosen where object.managedObjectContext !== self && !object.isDeleted {
            throw .wrongContext(object.objectID, detail: "this context cannot describe it")
        }
        return try GraphText(self, omitting: properties).text(where: chosen.contains)
    }
}
