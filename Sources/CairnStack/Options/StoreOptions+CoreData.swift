import CairnStore
import Foundation

extension [StoreOption: MetadataValue] {
    /// Creates options from a dictionary in Core Data's form: the keys are Core Data's names or Cairn's,
    /// and the values have types of Swift or Foundation.
    ///
    /// - Throws: `.invalidOption` if a key is not a string, or if a property list cannot contain a
    ///   value.
    init(coreData options: [AnyHashable: Any]) throws(StoreError) {
        self = [:]
        for (key, value) in options {
            guard let option = Self.option(key) else {
                throw .invalidOption(
                    StoreOption(rawValue: "\(key)"),
                    detail: "the name of an option must be a string")
            }
            self[option] = try MetadataValue(option: option, value)
        }
    }

    private static func option(_ key: AnyHashable) -> StoreOption? {
        if let option = key.base as? StoreOption { return option }
        return (key.base as? String).map(StoreOption.init(rawValue:))
    }

    /// Core Data's names of options for which Cairn has its own names.
    private static let ownNames: [StoreOption: StoreOption] = [
        StoreOption(rawValue: MigratePersistentStoresAutomaticallyOption): .migratesAutomatically,
        StoreOption(rawValue: InferMappingModelAutomaticallyOption): .infersMappingModel,
        StoreOption(rawValue: ReadOnlyPersistentStoreOption): .readOnly,
        StoreOption(rawValue: PersistentStoreTimeoutOption): .timeout,
        StoreOption(rawValue: PersistentStoreRemoteChangeNotificationPostOptionKey):
            .postsRemoteChanges,
    ]

    /// Core Data's options that Cairn does not support, with advice for the error message.
    private static let unavailable: [StoreOption: String] = [
        StoreOption(rawValue: PersistentHistoryTrackingKey):
            "Cairn keeps no history of saves. Leave the option out",
        StoreOption(rawValue: SQLiteAnalyzeOption):
            "Cairn does not analyze stores when they are added. Leave the option out",
        StoreOption(rawValue: SQLiteManualVacuumOption):
            "Cairn does not vacuum stores when they are added. Leave the option out",
        StoreOption(rawValue: IgnorePersistentStoreVersioningOption):
            "Cairn always compares the model with the store. Leave the option out",
    ]

    private static let fileProtection = StoreOption(rawValue: PersistentStoreFileProtectionKey)

    /// Returns the options under Cairn's names. Options that request nothing, such as `false` for a
    /// history of saves, are left out.
    ///
    /// - Throws: `.invalidOption` for an option of Core Data that is not supported.
    func translatingCoreDataNames() throws(StoreError) -> Self {
        var translated: Self = [:]
        for (option, value) in self {
            if let own = Self.ownNames[option] {
                translated[own] = value
            } else if let advice = Self.unavailable[option] {
                guard value == .boolean(false) || value == .integer(0) else {
                    throw .invalidOption(option, detail: advice)
                }
            } else if option == Self.fileProtection {
                guard value == .string("NSFileProtectionNone") else {
                    throw .invalidOption(
                        option, detail: "Linux does not protect single files. Leave the option out")
                }
            } else {
                translated[option] = value
            }
        }
        return translated
    }
}

extension MetadataValue {
    /// Creates an option's value from a value of Swift or Foundation.
    ///
    /// - Throws: `.invalidOption` if a property list cannot contain the value.
    init(option: StoreOption, _ value: Any) throws(StoreError) {
        // Exact types are checked first: numbers can also be cast to Boolean.
        if type(of: value) == Bool.self, let value = value as? Bool {
            self = .boolean(value)
        } else if let value = value as? NSNumber {
            self = Self.number(value)
        } else if let value = value as? MetadataValue {
            self = value
        } else if let value = value as? String {
            self = .string(value)
        } else if let value = value as? Date {
            self = .date(value)
        } else if let value = value as? Data {
            self = .data(value)
        } else if let value = value as? FileProtectionType {
            self = .string(value.rawValue)
        } else if let values = value as? [Any] {
            var array: [MetadataValue] = []
            for value in values { array.append(try MetadataValue(option: option, value)) }
            self = .array(array)
        } else if let values = value as? [String: Any] {
            var dictionary: [String: MetadataValue] = [:]
            for (key, value) in values {
                dictionary[key] = try MetadataValue(option: option, value)
            }
            self = .dictionary(dictionary)
        } else {
            throw .invalidOption(option, detail: Self.refusal(of: value))
        }
    }

    /// Returns a message that says why a value cannot be the value of an option.
    static func refusal(of value: Any) -> String {
        "a value of type \(type(of: value)) cannot be the value of an option;"
            + " use a Boolean, a number, a string, a date, data, an array or a dictionary"
    }

    private static func number(_ number: NSNumber) -> MetadataValue {
        switch String(cString: number.objCType) {
        case "c" where [0, 1].contains(number.int64Value), "B": .boolean(number.boolValue)
        case "f", "d": .real(number.doubleValue)
        default: .integer(number.int64Value)
        }
    }
}
