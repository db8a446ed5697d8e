extension ManagedObjectContext {
    /// The coordinator whose stores the context works on, its parents' where it has one; nil where
    /// its objects come from elsewhere.
    public var persistentStoreCoordinator: PersistentStoreCoordinator? { origin.coordinator }
}
