// The parts of OpenSSL that rouse does without, so that the linker leaves them out too.
//
// openssl_provider.cc offers no such algorithm; what is defined here are the last references to
// them in parts that we do need: lists of names, engines and error texts, curves nobody uses, a
// client for HTTP that fetches certificates. What can be reached at all fails closed: a certificate
// with an Ed448 key or on a binary curve is refused like one with an unknown algorithm. As there,
// nothing is replaced in another release of OpenSSL than 3.0. The parameters of OpenSSL's own
// functions are left out where nobody looks at them.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/opensslv.h>

#if OPENSSL_VERSION_MAJOR == 3 && OPENSSL_VERSION_MINOR == 0

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/http.h>

extern "C" {

// Digests by name: this is how the signature of a certificate finds its digest.
void openssl_add_all_digests_int() {
  ::EVP_add_digest(::EVP_md5());
  ::EVP_add_digest(::EVP_sha1());
  ::EVP_add_digest(::EVP_sha224());
  ::EVP_add_digest(::EVP_sha256());
  ::EVP_add_digest(::EVP_sha384());
  ::EVP_add_digest(::EVP_sha512());
}

// Ciphers by name: only keys encrypted in the way before PKCS#8 are looked up like this.
void openssl_add_all_ciphers_int() {}

void engine_load_openssl_int() {}
void engine_load_dynamic_int() {}
void engine_load_padlock_int() {}
void engine_load_afalg_int() {}

// P-224 and P-521 are calculated like any other curve, P-256 has code of its own (nistz256).
const EC_METHOD* EC_GFp_nistp224_method() { return ::EC_GFp_mont_method(); }
void* EC_nistp224_pre_comp_dup() { return nullptr; }
void EC_nistp224_pre_comp_free() {}
const EC_METHOD* EC_GFp_nistp521_method() { return ::EC_GFp_mont_method(); }
void* EC_nistp521_pre_comp_dup() { return nullptr; }
void EC_nistp521_pre_comp_free() {}
#if defined(__x86_64__) || defined(__aarch64__)
void* EC_nistp256_pre_comp_dup() { return nullptr; }
void EC_nistp256_pre_comp_free() {}
#endif

// No binary curves.
const EC_METHOD* EC_GF2m_simple_method() { return nullptr; }
int ossl_ec_GF2m_simple_oct2point() { return 0; }
std::size_t ossl_ec_GF2m_simple_point2oct() { return 0; }
int ossl_ec_GF2m_simple_set_compressed_coordinates() { return 0; }

// No X448 and Ed448.
int ossl_x448() { return 0; }
void ossl_x448_public_from_private() {}
int ossl_ed448_public_from_private() { return 0; }
int ossl_ed448_sign() { return 0; }
int ossl_ed448_verify() { return 0; }

// Certificates and revocation lists are not fetched by URL.
BIO* OSSL_HTTP_get(const char*, const char*, const char*, BIO*, BIO*, OSSL_HTTP_bio_cb_t, void*,
                   int, const STACK_OF(CONF_VALUE) *, const char*, int, std::size_t, int) {
  return nullptr;
}

// Error texts of parts that are not there.
#define ROUSE_NO_TEXTS(part) \
  int ossl_err_load_##part##_strings() { return 1; }
ROUSE_NO_TEXTS(ASYNC)
ROUSE_NO_TEXTS(CMP)
ROUSE_NO_TEXTS(CMS)
ROUSE_NO_TEXTS(COMP)
ROUSE_NO_TEXTS(CRMF)
ROUSE_NO_TEXTS(CT)
ROUSE_NO_TEXTS(DH)
ROUSE_NO_TEXTS(DSA)
ROUSE_NO_TEXTS(DSO)
ROUSE_NO_TEXTS(ENGINE)
ROUSE_NO_TEXTS(ESS)
ROUSE_NO_TEXTS(HTTP)
ROUSE_NO_TEXTS(OCSP)
ROUSE_NO_TEXTS(OSSL_STORE)
ROUSE_NO_TEXTS(PKCS12)
ROUSE_NO_TEXTS(PKCS7)
ROUSE_NO_TEXTS(TS)
ROUSE_NO_TEXTS(UI)
#undef ROUSE_NO_TEXTS

}  // extern "C"

#endif
