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
    /// The text depends only on the content of the objects, and not on their IDs, the order in which they
    /// were inserted, or the engine. Objects are sorted by entity name. Objects of the same entity are sorted
    /// by the values of their attributes, beginning with strings, and then by the objects to which their
    /// relationships lead. Objects that are still equal are sorted by key. In nearly all graphs, such objects
    /// are interchangeable, and the text does not depend on their order.
    ///
    /// Attributes come first, in the order of the model, and then relationships. Values that are `nil`, empty
    /// relationships and transient properties are left out. Dates are in ISO 8601 format, with a fraction of
    /// a second of up to six digits. For bytes, their number and a short hash are written. Members of an
    /// ordered relationship are in `[ ]` and in their order, other members in `{ }` and sorted. A
    /// relationship to an object that is not in the graph any more shows `#?` instead of a number. There is
    /// no line break at the end. Deleted objects are left out.
    ///
    /// Reads every object of the stores.
    ///
    /// - Parameter properties: the names of properties that are left out and do not affect the order, such as
    ///   IDs and times that differ in each run: `"id"` for each entity, or `"Author.id"`.
    /// - Throws: `.store`, `.unknownStore`, `.wrongThread`.
    public func graphText(omitting properties: Set<String> = []) throws(GraphError) -> String {
        try GraphText(self, omitting: properties).text { _ in true }
    }

    /// Returns the objects of some entities as text, including objects of subentities.
    ///
    /// Objects have the same names and the same order as in the text of the whole graph. Therefore the whole
    /// graph is read.
    ///
    /// - Parameters:
    ///   - names: the names of the entities.
    ///   - properties: the same as for ``graphText(omitting:)``.
    /// - Throws: `.unknownEntity`; the errors of ``graphText(omitting:)``.
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

    /// Returns the given objects as text. Deleted objects are left out.
    ///
    /// Objects have the same names and the same order as in the text of the whole graph. Therefore the whole
    /// graph is read.
    ///
    /// - Parameter properties: the same as for ``graphText(omitting:)``.
    /// - Throws: `.wrongContext` for an object of another context; the errors of ``graphText(omitting:)``.
    public func graphText(
        of objects: some Sequence<ManagedObject>, omitting properties: Set<String> = []
    ) throws(GraphError) -> String {
        let chosen = Set(objects)
        for object in chosen where object.managedObjectContext !== self && !object.isDeleted {
            throw .wrongContext(object.objectID, detail: "its text was asked for here")
        }
        return try GraphText(self, omitting: properties).text(where: chosen.contains)
    }
}
