import Cairn

/// An object of the server's store, which counts the writes to an account.
public final class Account: ManagedObject {
    /// The model of the server's store.
    public static var model: ManagedObjectModel {
        get throws {
            var account = EntityDescription(
                "Account",
                [
                    .attribute("number", .integer64, isOptional: false),
                    .attribute("writes", .integer64, isOptional: false),
                ])
            account.managedObjectClassName = "Account"
            return try ManagedObjectModel([account])
        }
    }

    /// The number that identifies the account.
    @Managed public var number: Int64
    /// The number of saved writes.
    @Managed public var writes: Int64
}
