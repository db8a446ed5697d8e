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

    public override class var slotNames: [String] { ["number", "writes"] }

    /// The number that identifies the account.
    public var number: Int64 {
        get { int64(at: 0) }
        set { setInt64(newValue, at: 0) }
    }

    /// The number of saved writes.
    public var writes: Int64 {
        get { int64(at: 1) }
        set { setInt64(newValue, at: 1) }
    }
}
