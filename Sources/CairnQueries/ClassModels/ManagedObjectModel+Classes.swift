import CairnModel
import CairnObjects

extension ManagedObjectModel {
    /// Creates a model from classes. Each class becomes an entity with the class's name and its ``Managed``
    /// properties.
    ///
    /// ```swift
    /// let model = try ManagedObjectModel(for: Author.self, Book.self)
    /// ```
    ///
    /// A subclass of a listed class becomes a subentity. A property without an optional type is required,
    /// unless ``ManagedObject/entitySettings`` says otherwise. A ``CompositeAttribute`` becomes a composite
    /// of the model. Only one of the two sides of a relationship needs to name the inverse, and neither if the two
    /// are the only relationships between their classes: see ``InverseProperty/inferred``.
    ///
    /// - Throws: `.invalid`, with every problem found. Each problem has the file and line of the declaration
    ///   that caused it.
    public convenience init(for classes: ManagedObject.Type...) throws(ModelError) {
        try self.init(for: classes)
    }

    /// Creates a model from an array of classes. Otherwise the same as the other initializer.
    ///
    /// - Throws: The same errors as the other initializer.
    public convenience init(for classes: [ManagedObject.Type]) throws(ModelError) {
        var builder = ClassModelBuilder(classes)
        let description = try builder.description()
        do throws(ModelError) {
            try self.init(description)
        } catch .invalid(let problems) {
            throw .invalid(problems.map(builder.located))
        }
        ModelClasses.note(classes, of: self)
    }
}
