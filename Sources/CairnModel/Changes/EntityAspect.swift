/// A setting of an entity that may differ between two versions of a model.
public enum EntityAspect: Sendable, Hashable, CaseIterable {
    /// The entity has another name; a renaming identifier says that it is the same one.
    case name
    /// The entity inherits from another one. A superentity that was only renamed is the same.
    case superentity
    case isAbstract
    case managedObjectClassName
    case versionHashModifier
    /// Only the renaming identifier differs. A renamed entity has ``name`` instead.
    case renamingIdentifier
    case isSyncable
    case userInfo
}
