// OpenSSL's default provider with the algorithms that rouse speaks and no others.
//
// A static libcrypto brings along whatever its default provider lists: ARIA, Camellia, SM2 to SM4,
// DSA, DH, DES, key encoders, a megabyte that nothing here ever asks for. This file defines the
// function that hands out the lists. The linker finds it before it opens libcrypto.a, and the
// members of the archive that nobody refers to any more stay out (openssl_absent.cc does the rest).
//
// Listed is what TLS 1.2 and 1.3 with RSA, ECDSA and Ed25519 certificates need, and the keys an
// operator may hand us: PKCS#1, SEC1 and PKCS#8, the last one also encrypted. OpenSSL asks the
// provider what there is and offers its peers nothing else.
//
// It leans on names that OpenSSL 3.0 does not promise to keep. Should one go away, the link fails.
// With another release of OpenSSL both files are empty and its own lists are used: larger, nothing
// else. openssl_provider_test.cc proves what is in and what is out; docs/adr/0013 has the numbers.
#include <openssl/opensslv.h>

#if OPENSSL_VERSION_MAJOR == 3 && OPENSSL_VERSION_MINOR == 0

#include <array>

#include <openssl/bio.h>
#include <openssl/core.h>
#include <openssl/core_dispatch.h>

namespace {
struct ProviderContext;  // OpenSSL's PROV_CTX
}

extern "C" {

// What libcrypto calls; declared here because no public header does.
OSSL_provider_init_fn ossl_default_provider_init;
OSSL_provider_init_fn ossl_base_provider_init;

// What libcrypto lends: the context of a provider, and the tables of the algorithms.

int ossl_prov_bio_from_dispatch(const OSSL_DISPATCH* functions);
int ossl_prov_seeding_from_dispatch(const OSSL_DISPATCH* functions);
BIO_METHOD* ossl_bio_prov_init_bio_method();
ProviderContext* ossl_prov_ctx_new();
void ossl_prov_ctx_free(ProviderContext* context);
void ossl_prov_ctx_set0_libctx(ProviderContext* context, OSSL_LIB_CTX* library);
void ossl_prov_ctx_set0_handle(ProviderContext* context, const OSSL_CORE_HANDLE* handle);
void ossl_prov_ctx_set0_core_bio_method(ProviderContext* context, BIO_METHOD* method);
BIO_METHOD* ossl_prov_ctx_get0_core_bio_method(ProviderContext* context);
OSSL_FUNC_provider_get_capabilities_fn ossl_prov_get_capabilities;

#define ROUSE_TABLE(name) extern const OSSL_DISPATCH ossl_##name##_functions[]
ROUSE_TABLE(sha1);
ROUSE_TABLE(sha224);
ROUSE_TABLE(sha256);
ROUSE_TABLE(sha384);
ROUSE_TABLE(sha512);
ROUSE_TABLE(md5);
ROUSE_TABLE(md5_sha1);
ROUSE_TABLE(null);
ROUSE_TABLE(aes128ecb);
ROUSE_TABLE(aes192ecb);
ROUSE_TABLE(aes256ecb);
ROUSE_TABLE(aes128cbc);
ROUSE_TABLE(aes192cbc);
ROUSE_TABLE(aes256cbc);
ROUSE_TABLE(aes128ctr);
ROUSE_TABLE(aes192ctr);
ROUSE_TABLE(aes256ctr);
ROUSE_TABLE(aes128gcm);
ROUSE_TABLE(aes192gcm);
ROUSE_TABLE(aes256gcm);
ROUSE_TABLE(chacha20);
ROUSE_TABLE(chacha20_ossl_poly1305);
ROUSE_TABLE(hmac);
ROUSE_TABLE(kdf_hkdf);
ROUSE_TABLE(kdf_tls1_3_kdf);
ROUSE_TABLE(kdf_tls1_prf);
ROUSE_TABLE(kdf_pbkdf2);
ROUSE_TABLE(drbg_ctr);
ROUSE_TABLE(seed_src);
ROUSE_TABLE(rsa_keymgmt);
ROUSE_TABLE(rsapss_keymgmt);
ROUSE_TABLE(ec_keymgmt);
ROUSE_TABLE(x25519_keymgmt);
ROUSE_TABLE(ed25519_keymgmt);
ROUSE_TABLE(mac_legacy_keymgmt);
ROUSE_TABLE(ecdh_keyexch);
ROUSE_TABLE(x25519_keyexch);
ROUSE_TABLE(rsa_signature);
ROUSE_TABLE(ecdsa_signature);
ROUSE_TABLE(ed25519_signature);
ROUSE_TABLE(mac_legacy_hmac_signature);
ROUSE_TABLE(rsa_asym_cipher);
ROUSE_TABLE(PrivateKeyInfo_der_to_rsa_decoder);
ROUSE_TABLE(SubjectPublicKeyInfo_der_to_rsa_decoder);
ROUSE_TABLE(type_specific_keypair_der_to_rsa_decoder);
ROUSE_TABLE(RSA_der_to_rsa_decoder);
ROUSE_TABLE(PrivateKeyInfo_der_to_rsapss_decoder);
ROUSE_TABLE(SubjectPublicKeyInfo_der_to_rsapss_decoder);
ROUSE_TABLE(PrivateKeyInfo_der_to_ec_decoder);
ROUSE_TABLE(SubjectPublicKeyInfo_der_to_ec_decoder);
ROUSE_TABLE(type_specific_no_pub_der_to_ec_decoder);
ROUSE_TABLE(EC_der_to_ec_decoder);
ROUSE_TABLE(PrivateKeyInfo_der_to_ed25519_decoder);
ROUSE_TABLE(SubjectPublicKeyInfo_der_to_ed25519_decoder);
ROUSE_TABLE(SubjectPublicKeyInfo_der_to_der_decoder);
ROUSE_TABLE(EncryptedPrivateKeyInfo_der_to_der_decoder);
ROUSE_TABLE(pem_to_der_decoder);
#undef ROUSE_TABLE

}  // extern "C"

namespace {

constexpr const char* kOurs = "provider=default";

constexpr OSSL_ALGORITHM offer(const char* names, const OSSL_DISPATCH* functions) {
  return {names, kOurs, functions, nullptr};
}
constexpr OSSL_ALGORITHM decoder(const char* type, const char* input,
                                 const OSSL_DISPATCH* functions) {
  return {type, input, functions, nullptr};
}
constexpr OSSL_ALGORITHM kEnd{nullptr, nullptr, nullptr, nullptr};

constexpr std::array kDigests{
    offer("SHA1:SHA-1:SSL3-SHA1:1.3.14.3.2.26", ossl_sha1_functions),
    offer("SHA2-224:SHA-224:SHA224:2.16.840.1.101.3.4.2.4", ossl_sha224_functions),
    offer("SHA2-256:SHA-256:SHA256:2.16.840.1.101.3.4.2.1", ossl_sha256_functions),
    offer("SHA2-384:SHA-384:SHA384:2.16.840.1.101.3.4.2.2", ossl_sha384_functions),
    offer("SHA2-512:SHA-512:SHA512:2.16.840.1.101.3.4.2.3", ossl_sha512_functions),
    offer("MD5:SSL3-MD5:1.2.840.113549.2.5", ossl_md5_functions),
    offer("MD5-SHA1", ossl_md5_sha1_functions),
    kEnd};

// CBC is for servers that have nothing newer and for encrypted keys, CTR and ECB for randomness.
constexpr std::array kCiphers{
    offer("NULL", ossl_null_functions),
    offer("AES-256-ECB:2.16.840.1.101.3.4.1.41", ossl_aes256ecb_functions),
    offer("AES-192-ECB:2.16.840.1.101.3.4.1.21", ossl_aes192ecb_functions),
    offer("AES-128-ECB:2.16.840.1.101.3.4.1.1", ossl_aes128ecb_functions),
    offer("AES-256-CBC:AES256:2.16.840.1.101.3.4.1.42", ossl_aes256cbc_functions),
    offer("AES-192-CBC:AES192:2.16.840.1.101.3.4.1.22", ossl_aes192cbc_functions),
    offer("AES-128-CBC:AES128:2.16.840.1.101.3.4.1.2", ossl_aes128cbc_functions),
    offer("AES-256-CTR", ossl_aes256ctr_functions),
    offer("AES-192-CTR", ossl_aes192ctr_functions),
    offer("AES-128-CTR", ossl_aes128ctr_functions),
    offer("AES-256-GCM:id-aes256-GCM:2.16.840.1.101.3.4.1.46", ossl_aes256gcm_functions),
    offer("AES-192-GCM:id-aes192-GCM:2.16.840.1.101.3.4.1.26", ossl_aes192gcm_functions),
    offer("AES-128-GCM:id-aes128-GCM:2.16.840.1.101.3.4.1.6", ossl_aes128gcm_functions),
    offer("ChaCha20", ossl_chacha20_functions),
    offer("ChaCha20-Poly1305", ossl_chacha20_ossl_poly1305_functions),
    kEnd};

constexpr std::array kMacs{offer("HMAC", ossl_hmac_functions), kEnd};

constexpr std::array kDerivations{
    offer("HKDF", ossl_kdf_hkdf_functions), offer("TLS13-KDF", ossl_kdf_tls1_3_kdf_functions),
    offer("TLS1-PRF", ossl_kdf_tls1_prf_functions),
    offer("PBKDF2:1.2.840.113549.1.5.12", ossl_kdf_pbkdf2_functions), kEnd};

constexpr std::array kRandom{offer("CTR-DRBG", ossl_drbg_ctr_functions),
                             offer("SEED-SRC", ossl_seed_src_functions), kEnd};

constexpr std::array kKeys{
    offer("RSA:rsaEncryption:1.2.840.113549.1.1.1", ossl_rsa_keymgmt_functions),
    offer("RSA-PSS:RSASSA-PSS:1.2.840.113549.1.1.10", ossl_rsapss_keymgmt_functions),
    offer("EC:id-ecPublicKey:1.2.840.10045.2.1", ossl_ec_keymgmt_functions),
    offer("X25519:1.3.101.110", ossl_x25519_keymgmt_functions),
    offer("ED25519:1.3.101.112", ossl_ed25519_keymgmt_functions),
    offer("HMAC", ossl_mac_legacy_keymgmt_functions),
    kEnd};

constexpr std::array kExchanges{offer("ECDH", ossl_ecdh_keyexch_functions),
                                offer("X25519:1.3.101.110", ossl_x25519_keyexch_functions), kEnd};

constexpr std::array kSignatures{
    offer("RSA:rsaEncryption:1.2.840.113549.1.1.1", ossl_rsa_signature_functions),
    offer("ED25519:1.3.101.112", ossl_ed25519_signature_functions),
    offer("ECDSA", ossl_ecdsa_signature_functions),
    offer("HMAC", ossl_mac_legacy_hmac_signature_functions), kEnd};

constexpr std::array kAsymmetricCiphers{
    offer("RSA:rsaEncryption:1.2.840.113549.1.1.1", ossl_rsa_asym_cipher_functions), kEnd};

constexpr const char* kPrivate = "provider=default,fips=yes,input=der,structure=PrivateKeyInfo";
constexpr const char* kPublic =
    "provider=default,fips=yes,input=der,structure=SubjectPublicKeyInfo";
constexpr const char* kSpecific = "provider=default,fips=yes,input=der,structure=type-specific";
constexpr std::array kDecoders{
    decoder("EC", kPrivate, ossl_PrivateKeyInfo_der_to_ec_decoder_functions),
    decoder("EC", kPublic, ossl_SubjectPublicKeyInfo_der_to_ec_decoder_functions),
    decoder("EC", kSpecific, ossl_type_specific_no_pub_der_to_ec_decoder_functions),
    decoder("EC", "provider=default,fips=yes,input=der,structure=ec",
            ossl_EC_der_to_ec_decoder_functions),
    decoder("ED25519", kPrivate, ossl_PrivateKeyInfo_der_to_ed25519_decoder_functions),
    decoder("ED25519", kPublic, ossl_SubjectPublicKeyInfo_der_to_ed25519_decoder_functions),
    decoder("RSA", kPrivate, ossl_PrivateKeyInfo_der_to_rsa_decoder_functions),
    decoder("RSA", kPublic, ossl_SubjectPublicKeyInfo_der_to_rsa_decoder_functions),
    decoder("RSA", kSpecific, ossl_type_specific_keypair_der_to_rsa_decoder_functions),
    decoder("RSA", "provider=default,fips=yes,input=der,structure=rsa",
            ossl_RSA_der_to_rsa_decoder_functions),
    decoder("RSA-PSS", kPrivate, ossl_PrivateKeyInfo_der_to_rsapss_decoder_functions),
    decoder("RSA-PSS", kPublic, ossl_SubjectPublicKeyInfo_der_to_rsapss_decoder_functions),
    decoder("DER", kPublic, ossl_SubjectPublicKeyInfo_der_to_der_decoder_functions),
    decoder("DER", "provider=default,fips=yes,input=pem", ossl_pem_to_der_decoder_functions),
    decoder("DER", "provider=default,fips=yes,input=der,structure=EncryptedPrivateKeyInfo",
            ossl_EncryptedPrivateKeyInfo_der_to_der_decoder_functions),
    kEnd};

const OSSL_ALGORITHM* query(void*, int operation, int* no_cache) {
  *no_cache = 0;
  switch (operation) {
    case OSSL_OP_DIGEST:
      return kDigests.data();
    case OSSL_OP_CIPHER:
      return kCiphers.data();
    case OSSL_OP_MAC:
      return kMacs.data();
    case OSSL_OP_KDF:
      return kDerivations.data();
    case OSSL_OP_RAND:
      return kRandom.data();
    case OSSL_OP_KEYMGMT:
      return kKeys.data();
    case OSSL_OP_KEYEXCH:
      return kExchanges.data();
    case OSSL_OP_SIGNATURE:
      return kSignatures.data();
    case OSSL_OP_ASYM_CIPHER:
      return kAsymmetricCiphers.data();
    case OSSL_OP_DECODER:
      return kDecoders.data();
    default:
      return nullptr;
  }
}

void teardown(void* context) {
  auto* ours = static_cast<ProviderContext*>(context);
  ::BIO_meth_free(::ossl_prov_ctx_get0_core_bio_method(ours));
  ::ossl_prov_ctx_free(ours);
}

using AnyFunction = void (*)();
template <class Function>
OSSL_DISPATCH entry(int id, Function* function) {
  return {id, reinterpret_cast<AnyFunction>(function)};
}

const std::array kProvider{entry(OSSL_FUNC_PROVIDER_TEARDOWN, teardown),
                           entry(OSSL_FUNC_PROVIDER_QUERY_OPERATION, query),
                           entry(OSSL_FUNC_PROVIDER_GET_CAPABILITIES, ossl_prov_get_capabilities),
                           OSSL_DISPATCH{0, nullptr}};

OSSL_LIB_CTX* library_of(const OSSL_CORE_HANDLE* handle, const OSSL_DISPATCH* core) {
  for (; core->function_id != 0; ++core) {
    if (core->function_id != OSSL_FUNC_CORE_GET_LIBCTX) continue;
    return reinterpret_cast<OSSL_LIB_CTX*>(OSSL_FUNC_core_get_libctx(core)(handle));
  }
  return nullptr;
}

}  // namespace

extern "C" {

int ossl_default_provider_init(const OSSL_CORE_HANDLE* handle, const OSSL_DISPATCH* core,
                               const OSSL_DISPATCH** ours, void** context) {
  if (::ossl_prov_bio_from_dispatch(core) == 0) return 0;
  if (::ossl_prov_seeding_from_dispatch(core) == 0) return 0;
  ProviderContext* made = ::ossl_prov_ctx_new();
  BIO_METHOD* core_bio = ::ossl_bio_prov_init_bio_method();
  if (made == nullptr || core_bio == nullptr) {
    ::BIO_meth_free(core_bio);
    ::ossl_prov_ctx_free(made);
    return 0;
  }
  ::ossl_prov_ctx_set0_libctx(made, library_of(handle, core));
  ::ossl_prov_ctx_set0_handle(made, handle);
  ::ossl_prov_ctx_set0_core_bio_method(made, core_bio);
  *ours = kProvider.data();
  *context = made;
  return 1;
}

// The base provider only repeats decoders and encoders for those who load FIPS instead of default.
int ossl_base_provider_init(const OSSL_CORE_HANDLE*, const OSSL_DISPATCH*, const OSSL_DISPATCH**,
                            void**) {
  return 0;
}

}  // extern "C"

#endif
