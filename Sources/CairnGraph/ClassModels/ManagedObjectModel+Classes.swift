import CairnModel

extension ManagedObjectModel {
    /// Creates a model from classes. Each class becomes an entity with the class's name and marked
    /// properties.
    ///
    /// ```swift
    /// let model = try ManagedObjectModel(for: Author.self, Book.self)
    /// ```
    ///
    /// A subclass of a listed class is a subentity. A property that is not optional is required, unless
    /// ``ManagedObject/entitySettings`` declare something else. A ``CompositeAttribute`` becomes a composite
    /// of the model. It is enough if one of two inverse relationships declares the inverse.
    ///
    /// - Throws: `.invalid`, with every problem that was found, each with the file and line of the
    ///   declaration.
    public convenience init(for classes: ManagedObject.Type...) throws(ModelError) {
        try self.init(for: classes)
    }

    /// Creates a model from an array of classes, in the same way as the other initializer.
    ///
    /// - Throws: the errors of the other initializer.
    public convenience init(for classes: [ManagedObject.Type]) throws(ModelError) {
        var builder = ClassModelBuilder(classes)
        let description = try builder.description()
        do throws(ModelError) {
            try self.init(description)
        } catch .invalid(let problems) {
            throw .invalid(problems.map(builder.located))
        }
    }
}
