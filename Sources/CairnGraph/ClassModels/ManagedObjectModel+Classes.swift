import CairnModel

extension ManagedObjectModel {
    /// Makes a model of classes: an entity for each, with the class's name and its marked properties.
    ///
    /// ```swift
    /// let model = try ManagedObjectModel(for: Author.self, Book.self)
    /// ```
    ///
    /// A subclass of a listed class is a subentity. A property that is no optional is required, unless
    /// ``ManagedObject/entitySettings`` says more. A ``CompositeAttribute`` becomes a composite of the model. An inverse is said by one of its two sides.
    ///
    /// - Throws: `.invalid`, with every problem found, each with the file and line where a class said what
    ///   is wrong.
    public convenience init(for classes: ManagedObject.Type...) throws(ModelError) {
        try self.init(for: classes)
    }

    /// Makes a model of classes: the same as the other initializer, for classes in an array.
    ///
    /// - Throws: as the other initializer.
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
