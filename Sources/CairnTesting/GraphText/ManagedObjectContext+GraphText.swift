import Cairn

extension ManagedObjectContext {
    /// Returns all objects of the context and its stores as text, with unsaved changes.
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
    /// The text depends only on what the objects contain: not on their IDs, the order in which they were
    /// inserted, or the engine. Objects come by entity name. Those of one entity come by the values of
    /// their attributes, texts first, then by the objects that their relationships lead to. Objects that
    /// this does not tell apart come by key. Such objects are interchangeable in nearly all graphs, and the
    /// text is then the same for each order.
    ///
    /// Attributes come in the order of the model, then relationships. Values that are `nil`, empty
    /// relationships and transient properties are left out. Dates are in ISO 8601 with up to six digits of a
    /// fraction of a second. Bytes are written as their number and a short hash. Members of an ordered
    /// relationship are in `[ ]` and in their order, other members in `{ }` and sorted. A relationship to an
    /// object that is not in the graph any more shows `#?` instead of a number. There is no line break at
    /// the end. Deleted objects are left out.
    ///
    /// Reads every object of the stores.
    ///
    /// - Parameter properties: the names of properties that are left out and do not affect the order, such
    ///   as IDs and times that differ each time: `"id"` for each entity, or `"Author.id"`.
    /// - Throws: `.store`, `.unknownStore`, `.wrongThread`.
    public func graphText(omitting properties: Set<String> = []) throws(GraphError) -> String {
        try GraphText(self, omitting: properties).text { _ in true }
    }

    /// Returns the objects of some entities as text, including objects of subentities.
    ///
    /// Objects have the names and the order that they have in the text of the whole graph, which is read
    /// for that.
    ///
    /// - Parameters:
    ///   - names: the names of the entities.
    ///   - properties: as for ``graphText(omitting:)``.
    /// - Throws: `.unknownEntity`; as ``graphText(omitting:)``.
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

    /// Returns some objects as text. Objects of the context that are deleted are left out.
    ///
    /// Objects have the names and the order that they have in the text of the whole graph, which is read
    /// for that.
    ///
    /// - Parameter properties: as for ``graphText(omitting:)``.
    /// - Throws: `.wrongContext` for an object of another context; as ``graphText(omitting:)``.
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
