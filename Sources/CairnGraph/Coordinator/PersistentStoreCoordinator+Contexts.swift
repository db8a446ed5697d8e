extension ManagedObjectContext {
    /// The coordinator whose stores the context works on; nil where its objects come from elsewhere.
    public var persistentStoreCoordinator: PersistentStoreCoordinator? {
        source as? PersistentStoreCoordinator
    }
}
